package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.DurableFile;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Persists the {@link HardState} of a node apart from the files of Ratis, so that a start can tell
 * when those end before it. A change is written before the acknowledgement or the vote that it
 * stands for is sent. Votes are synced at once; the acknowledged index is synced some time later,
 * so after a power cut it may be lower than what was acknowledged, never higher.
 *
 * <p>Two slots are written in turn, so that one is intact whenever the power fails.
 */
final class HardStateFile implements AutoCloseable {
    static final String NAME = "hard-state";

    private static final Logger LOG = LoggerFactory.getLogger(HardStateFile.class);
    private static final int SLOTS = 2;

    private final Path path;

    /** Not a channel: the interrupt of a thread that writes would close that. */
    private final RandomAccessFile file;

    private final Consumer<Throwable> fatal;
    private final Object syncing = new Object();
    private long sequence;
    private volatile HardState state;

    /** Whether something was written since the last sync. */
    private volatile boolean dirty;

    /** After the first failure nothing is acknowledged any more. */
    private volatile boolean failed;

    /** Replies to leaders of earlier terms are refused. */
    private long leaderTerm;

    HardStateFile(
            Path path, RandomAccessFile file, HardState.Numbered last, Consumer<Throwable> fatal) {
        this.path = path;
        this.file = file;
        this.sequence = last.sequence();
        this.state = last.state();
        this.fatal = fatal;
    }

    /**
     * Opens the file in the directory of a group, or creates it.
     *
     * @param used whether it must be there
     * @param fatal gets the failure to write, after which the node cannot go on
     * @throws ClusterException if it must be there and is not, or it is damaged
     */
    static HardStateFile open(Path group, boolean used, Consumer<Throwable> fatal)
            throws ClusterException {
        Path path = group.resolve(NAME);
        try {
            if (!Files.exists(path)) {
                if (used) {
                    throw damaged(path, "it is missing");
                }
                create(group, HardState.NONE);
            }
            RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
            try {
                return new HardStateFile(path, file, read(path, file), fatal);
            } catch (IOException e) {
                file.close();
                throw e;
            }
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            throw new ClusterException("cannot use " + path + ": " + e.getMessage(), e);
        }
    }

    /** Creates the file in a directory in which nothing has been acknowledged but this. */
    static void create(Path group, HardState first) throws IOException {
        Files.createDirectories(group);
        byte[] slot = Arrays.copyOf(first.encode(0), SLOTS * HardState.SLOT_BYTES);
        DurableFile.replace(group.resolve(NAME), slot);
        DurableFile.syncFolder(group.toAbsolutePath().getParent());
    }

    private static ClusterException damaged(Path file, String why) {
        return new ClusterException(
                "the file "
                        + file
                        + " is damaged: "
                        + why
                        + ". It has the vote of this node and the last log entry that it has"
                        + " acknowledged. "
                        + LogCheck.REMEDY);
    }

    private static HardState.Numbered read(Path path, RandomAccessFile file) throws IOException {
        byte[] slot = new byte[HardState.SLOT_BYTES];
        HardState.@Nullable Numbered last = null;
        for (int i = 0; i < SLOTS && file.length() >= (i + 1L) * slot.length; i++) {
            file.readFully(slot);
            HardState.@Nullable Numbered found = HardState.decode(slot).orElse(null);
            if (found != null && (last == null || found.sequence() > last.sequence())) {
                last = found;
            }
        }
        if (last == null) {
            throw damaged(path, "its checksums do not match");
        }
        return last;
    }

    /** Guarded by this. */
    private void write(HardState next) {
        requireWorking();
        try {
            long number = sequence + 1;
            file.seek(number % SLOTS * HardState.SLOT_BYTES);
            file.write(next.encode(number));
            sequence = number;
        } catch (IOException e) {
            throw fail("write to", e);
        }
        state = next;
        dirty = true;
    }

    private void requireWorking() {
        if (failed) {
            throw new IllegalStateException("a write to " + path + " has failed before");
        }
    }

    private UncheckedIOException fail(String what, IOException cause) {
        failed = true;
        IOException failure =
                new IOException("cannot " + what + " " + path + ": " + cause.getMessage());
        failure.addSuppressed(cause);
        fatal.accept(failure);
        return new UncheckedIOException(failure);
    }

    HardState state() {
        return state;
    }

    /**
     * Before a leader gets an acknowledgement of entries.
     *
     * @throws IllegalStateException if entries of a later leader were received meanwhile
     */
    void acknowledge(long index, long term) {
        if (index <= state.acknowledged()) {
            return;
        }
        synchronized (this) {
            if (term < leaderTerm) {
                throw new IllegalStateException("a leader of a later term has sent entries");
            }
            if (index > state.acknowledged()) {
                write(state.withAcknowledged(index));
            }
        }
    }

    /** Before a client or a follower learns that an entry is committed. */
    void acknowledgeCommitted(long index) {
        acknowledge(index, Long.MAX_VALUE);
    }

    /** Before Ratis gets entries of a leader. */
    synchronized void receiveEntries(long term) {
        leaderTerm = Math.max(leaderTerm, term);
    }

    /** Before entries that a leader does not have are removed from the end of the log. */
    void truncate(long lastIndex) {
        synchronized (this) {
            if (lastIndex >= state.acknowledged()) {
                return;
            }
            write(state.withAcknowledged(lastIndex));
        }
        sync();
    }

    /** Before Ratis gets a message with the term of another node. */
    void observeTerm(long term) {
        if (term <= state.highestTerm()) {
            return;
        }
        synchronized (this) {
            if (term > state.highestTerm()) {
                write(state.withHighestTerm(term));
            }
        }
    }

    /** Before another node gets a vote, or a request for one. */
    void vote(long term, String vote) {
        synchronized (this) {
            if (!state.includesVote(term, vote)) {
                write(state.withVote(term, vote));
            }
        }
        sync();
    }

    /** After the member list of the cluster was persisted. */
    void members(long index, int sum) {
        synchronized (this) {
            write(state.withMembers(index, sum));
        }
        sync();
    }

    /** What was written survives a power cut after this; called periodically. */
    void sync() {
        synchronized (syncing) { // who comes second returns when all is synced
            if (!dirty) {
                return;
            }
            requireWorking();
            dirty = false;
            try {
                file.getFD().sync();
            } catch (IOException e) {
                throw fail("sync", e);
            }
        }
    }

    @Override
    public void close() {
        try (file) {
            if (!failed) {
                sync();
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.atWarn()
                    .addKeyValue("file", path)
                    .addKeyValue("reason", e.getMessage())
                    .log("could not close the hard state");
        }
    }
}
