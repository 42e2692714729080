package io.holdfast.cluster.raft;

import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.SnapshotFile;
import io.holdfast.driver.DurableFile;
import io.holdfast.driver.FailureText;

import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The state machine of Ratis: passes each committed entry to the driver, and writes the driver's
 * state to snapshots.
 */
final class StateMachine extends BaseStateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(StateMachine.class);
    private static final CompletableFuture<Message> DONE =
            CompletableFuture.completedFuture(Message.EMPTY);

    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private final boolean alone;
    private final int known;
    private final ReplicatedDriver driver;
    private final Runnable snapshotDue;
    private final Consumer<Throwable> fatal;
    private final long snapshotEntries;
    private final long snapshotBytes;
    private final RetainedLogTail tail;
    private final Runnable ended;
    private final HardStateFile hardState;
    private final LongSupplier flushed;
    private final Supplier<EntryTime> leaderClock;
    private final StateHashes hashes;

    /** Gets the hash of the state after each entry that asks for it. */
    interface StateHashes {
        void add(long index, long hash);
    }

    /** The storage of Ratis. */
    private volatile @Nullable RaftStorage files;

    /**
     * Whether this node is a member, according to the last membership change that it was notified
     * of.
     */
    private volatile boolean member = true;

    /** The last leader logged; Ratis notifies of the same one repeatedly. */
    private volatile @Nullable RaftPeerId lastLeader;

    /**
     * The number of entries applied since the last snapshot; only used by the thread that applies.
     */
    private long entries;

    private long bytes;

    /**
     * @param alone whether there are no other nodes
     * @param known the highest version of the cluster that this node knows
     * @param snapshotDue called when the log has reached the snapshot limits
     * @param fatal called when the node cannot continue
     * @param ended called when Ratis has stopped this node for any reason except its removal
     * @param hardState written before clients get acknowledgements
     * @param flushed returns the index of the last log entry on this node's disk
     * @param leaderClock read for each entry that this node appends as the leader
     */
    StateMachine(
            boolean alone,
            int known,
            ReplicatedDriver driver,
            LogSizeLimits limits,
            Runnable snapshotDue,
            Consumer<Throwable> fatal,
            Runnable ended,
            HardStateFile hardState,
            LongSupplier flushed,
            Supplier<EntryTime> leaderClock,
            StateHashes hashes) {
        this.alone = alone;
        this.known = known;
        this.driver = driver;
        this.snapshotDue = snapshotDue;
        this.fatal = fatal;
        this.snapshotEntries = limits.snapshotEntries();
        this.snapshotBytes = limits.snapshotBytes();
        this.tail = new RetainedLogTail(limits.keptBytes());
        this.ended = ended;
        this.hardState = hardState;
        this.flushed = flushed;
        this.leaderClock = leaderClock;
        this.hashes = hashes;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage)
            throws IOException {
        super.initialize(server, group, raftStorage);
        files = raftStorage;
        storage.init(raftStorage);
        load();
        run(); // Ratis leaves this to the state machine, and only a running one can be paused
    }

    private RaftStorage raftStorage() {
        return Objects.requireNonNull(files);
    }

    private void run() {
        getLifeCycle().transition(LifeCycle.State.STARTING);
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    @Override
    public void reinitialize() throws IOException {
        try {
            storage.loadLatestSnapshot();
            load();
        } catch (IOException | RuntimeException | Error e) {
            fatal.accept(
                    new IOException(
                            "a received snapshot cannot be loaded: " + FailureText.of(e), e));
            throw e;
        }
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            run();
        }
    }

    private void load() throws IOException {
        tail.clear();
        SingleFileSnapshotInfo latest = storage.getLatestSnapshot();
        if (latest == null) {
            return;
        }
        Path file = latest.getFile().getPath();
        try {
            SnapshotFile.read(
                    file,
                    known,
                    (in, version) ->
                            driver.withState(
                                    replica -> {
                                        try {
                                            replica.read(in, version);
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                        return replica;
                                    }));
        } catch (UncheckedIOException e) {
            throw new IOException(file + " cannot be read: " + FailureText.of(e), e);
        }
        setLastAppliedTermIndex(TermIndex.valueOf(latest.getTerm(), latest.getIndex()));
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return storage;
    }

    @Override
    public @Nullable SingleFileSnapshotInfo getLatestSnapshot() {
        return storage.getLatestSnapshot();
    }

    /** Nothing is applied meanwhile: Ratis calls this on the thread that applies. */
    @Override
    public long takeSnapshot() throws IOException {
        TermIndex last = getLastAppliedTermIndex();
        if (last == null || last.getIndex() < 0) {
            return -1;
        }
        Path file = storage.getSnapshotFile(last.getTerm(), last.getIndex()).toPath();
        try {
            write(file);
            MD5Hash md5 = MD5FileUtil.computeAndSaveMd5ForFile(file.toFile());
            DurableFile.syncFolder(file.resolveSibling("")); // before the log is purged
            storage.updateLatestSnapshot(
                    new SingleFileSnapshotInfo(
                            new FileInfo(file, md5), last.getTerm(), last.getIndex()));
        } catch (IOException | RuntimeException | Error e) {
            // without a snapshot the log would grow without limit
            fatal.accept(
                    new IOException(
                            "the state cannot be written to " + file + ": " + FailureText.of(e),
                            e));
            throw e;
        }
        entries = 0;
        bytes = 0;
        return tail.lastPurgeable(last.getIndex()); // Ratis purges the log up to this index
    }

    private void write(Path file) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".writing");
        try {
            SnapshotFile.write(
                    temporary,
                    driver.withState(Replica::version),
                    out ->
                            driver.withState(
                                    replica -> {
                                        try {
                                            replica.write(out);
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                        return replica;
                                    }));
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /**
     * Adds the leader's time to an entry. A malformed entry must not be appended: no node could
     * continue after it.
     */
    @Override
    public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
        Message message = request.getMessage();
        LogEntry entry =
                message instanceof EntryMessage decoded
                        ? decoded.entry()
                        : LogEntryEncoding.decode(message.getContent().toByteArray(), known);
        EntryTime time = leaderClock.get();
        return TransactionContext.newBuilder()
                .setClientRequest(request)
                .setStateMachine(this)
                .setServerRole(RaftPeerRole.LEADER)
                .setLogData(StampedEntry.encode(time, message.getContent()))
                .setStateMachineContext(new StampedEntry(time, entry))
                .build();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        try {
            entries++;
            bytes += entry.getSerializedSize();
            tail.applied(entry.getIndex(), entry.getSerializedSize());
            hardState.acknowledgeCommitted(Math.min(entry.getIndex(), flushed.getAsLong()));
            StampedEntry stamped = stamped(transaction, known);
            driver.apply(entry.getTerm(), stamped.time(), stamped.entry());
            if (stamped.entry().checksState()
                    && driver.withState(replica -> replica.cluster() != null)) {
                // before the cluster is created, each node has its own settings
                hashes.add(entry.getIndex(), driver.withState(Replica::hash));
            }
        } catch (IOException | RuntimeException | Error e) {
            fatal.accept(
                    new IOException(
                            "entry "
                                    + entry.getIndex()
                                    + " of the log cannot be applied: "
                                    + FailureText.of(e),
                            e));
            throw new IllegalStateException(e);
        }
        updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        if (entries >= snapshotEntries || bytes > snapshotBytes) {
            entries = 0;
            bytes = 0;
            snapshotDue.run();
        }
        return DONE;
    }

    /**
     * Decodes an entry, unless {@link #startTransaction} did: Ratis keeps the context of an entry
     * on the leader that appended it, for as long as it leads. The bytes are also decoded if the
     * entry is applied before Ratis has recorded the request that it belongs to.
     */
    static StampedEntry stamped(TransactionContext transaction, int known) throws IOException {
        return transaction.getStateMachineContext() instanceof StampedEntry appended
                ? appended
                : StampedEntry.decode(
                        transaction.getLogEntry().getStateMachineLogEntry().getLogData(), known);
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
        if (!alone && !leader.equals(lastLeader)) {
            lastLeader = leader;
            LOG.atInfo()
                    .addKeyValue("leader", RaftPeers.name(leader))
                    .log("the cluster has a leader");
        }
        driver.leaderChanged();
    }

    @Override
    public void notifyLeaderReady() {
        driver.leaderChanged();
    }

    @Override
    public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto failed) {
        fatal.accept(cause);
    }

    @Override
    public void notifyConfigurationChanged(
            long term, long index, RaftConfigurationProto configuration) {
        RaftPeerId self = getId();
        member =
                self == null
                        || Stream.concat(
                                        configuration.getPeersList().stream(),
                                        configuration.getOldPeersList().stream())
                                .anyMatch(peer -> peer.getId().equals(self.toByteString()));
        try {
            RatisMetadataFiles.recordMembers(raftStorage(), hardState);
        } catch (IOException | RuntimeException e) {
            fatal.accept(new IOException("cannot record the member list: " + e.getMessage(), e));
        }
    }

    @Override
    public void close() throws IOException {
        super.close();
        if (member) {
            ended.run();
        }
    }
}
