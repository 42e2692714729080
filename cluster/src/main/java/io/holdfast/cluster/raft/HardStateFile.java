package io.holdfast.cluster.raft;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.ClusterException;
import io.holdfast.driver.DurableFile;

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
 * Persists the {@link HardState} of a node outside the files of Ratis, so that a start detects when
 * those end too early. A change is written before the acknowledgement or the vote is sent. Votes
 * and terms are synced at once; the acknowledged index is synced some time later, so after a power
 * failure it may be lower than what was acknowledged, never higher.
 *
 * <p>There are three slots, so that no write touches the slot that was synced last or the one that
 * is being synced: whenever the power fails, the synced state is intact.
 */
final class HardStateFile implements AutoCloseable {
    static final String NAME = "hard-state";

    private static final Logger LOG = LoggerFactory.getLogger(HardStateFile.class);
    private static final int SLOTS = 3;

    private final Path path;

    /** Not a channel, which would be closed if a writing thread were interrupted. */
    private final RandomAccessFile file;

    private final Consumer<Throwable> fatal;
    private final Object syncing = new Object();

    @GuardedBy("this")
    private long sequence;

    /** The slot of the next write. */
    @GuardedBy("this")
    private int slot;

    /** The slot that was synced last. */
    @GuardedBy("this")
    private int syncedSlot;

    /** Written under the lock on this. */
    private volatile HardState state;

    /** The highest term of another node that is written and synced. */
    private volatile long syncedTerm;

    /** Whether something was written since the last sync. */
    private volatile boolean dirty;

    /** Whether a write has failed, after which nothing is acknowledged. */
    private volatile boolean failed;

    /**
     * The highest term of a leader that has sent entries; leaders of earlier terms get no
     * acknowledgement.
     */
    @GuardedBy("this")
    private long leaderTerm;

    /**
     * @param last the state in the file, synced
     * @param lastSlot its slot
     */
    HardStateFile(
            Path path,
            RandomAccessFile file,
            HardState.Numbered last,
            int lastSlot,
            Consumer<Throwable> fatal) {
        this.path = path;
        this.file = file;
        this.sequence = last.sequence();
        this.state = last.state();
        this.syncedTerm = last.state().highestTerm();
        this.syncedSlot = lastSlot;
        this.slot = (lastSlot + 1) % SLOTS;
        this.fatal = fatal;
    }

    /**
     * Opens the file in the directory of a Raft group, or creates it.
     *
     * @param used whether the file must exist
     * @param fatal gets the first failed write, after which the node cannot continue
     * @throws ClusterException if the file must exist and does not, or is damaged
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
                return read(path, file, fatal);
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

    /** Creates the file in a directory without a log, with an initial state. */
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
                        + ". It stores the vote of this node and the index of the last log entry"
                        + " that it has acknowledged. "
                        + LogIntegrityCheck.REMEDY);
    }

    private static HardStateFile read(Path path, RandomAccessFile file, Consumer<Throwable> fatal)
            throws IOException {
        byte[] bytes = new byte[HardState.SLOT_BYTES];
        HardState.@Nullable Numbered last = null;
        int lastSlot = -1;
        for (int i = 0; i < SLOTS && file.length() >= (i + 1L) * bytes.length; i++) {
            file.readFully(bytes);
            HardState.@Nullable Numbered found = HardState.decode(bytes).orElse(null);
            if (found != null && (last == null || found.sequence() > last.sequence())) {
                last = found;
                lastSlot = i;
            }
        }
        if (last == null) {
            throw damaged(path, "its checksums do not match");
        }
        long length = (long) SLOTS * HardState.SLOT_BYTES;
        if (file.length() < length) { // written by an earlier version, with two slots
            file.setLength(length);
        }
        file.getFD().sync(); // after a crash the state may be only in the page cache
        return new HardStateFile(path, file, last, lastSlot, fatal);
    }

    @GuardedBy("this")
    private void write(HardState next) {
        requireWorking();
        try {
            long number = sequence + 1;
            file.seek((long) slot * HardState.SLOT_BYTES);
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
     * Must be called before a leader gets an acknowledgement of entries.
     *
     * @throws IllegalStateException if entries of a later leader have been received
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

    /** Must be called before a client or a follower learns that an entry is committed. */
    void acknowledgeCommitted(long index) {
        acknowledge(index, Long.MAX_VALUE);
    }

    /** Must be called before Ratis gets entries of a leader. */
    synchronized void receiveEntries(long term) {
        leaderTerm = Math.max(leaderTerm, term);
    }

    /**
     * Must be called before entries that conflict with those of the leader are removed from the end
     * of the log.
     */
    void truncate(long lastIndex) {
        synchronized (this) {
            if (lastIndex >= state.acknowledged()) {
                return;
            }
            write(state.withAcknowledged(lastIndex));
        }
        sync();
    }

    /** Must be called before Ratis gets a message with the term of another node. */
    void observeTerm(long term) {
        if (term <= syncedTerm) {
            return;
        }
        synchronized (this) {
            if (term > state.highestTerm()) {
                write(state.withHighestTerm(term));
            }
        }
        sync(); // Ratis also syncs the term that it gets from the message
    }

    /** Must be called before another node gets a vote or a vote request. */
    void vote(long term, String vote) {
        synchronized (this) {
            if (!state.includesVote(term, vote)) {
                write(state.withVote(term, vote));
            }
        }
        sync();
    }

    /** Must be called after the member list of the cluster was persisted. */
    void members(long index, int sum) {
        synchronized (this) {
            write(state.withMembers(index, sum));
        }
        sync();
    }

    /** Syncs the file, so that what was written survives a power failure. Called periodically. */
    void sync() {
        synchronized (syncing) { // a concurrent caller returns when its writes are synced
            requireWorking();
            if (!dirty) {
                return;
            }
            int written;
            long term;
            synchronized (this) {
                dirty = false;
                term = state.highestTerm();
                written = slot;
                slot = SLOTS - written - syncedSlot; // the third one
            }
            try {
                file.getFD().sync();
            } catch (IOException e) {
                throw fail("sync", e);
            }
            synchronized (this) {
                syncedSlot = written;
            }
            syncedTerm = term;
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
