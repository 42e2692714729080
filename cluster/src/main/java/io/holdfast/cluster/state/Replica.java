package io.holdfast.cluster.state;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.signal.ReplicatedSignals;
import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.hash.SequenceHash;
import io.holdfast.engine.hash.StateHash;
import io.holdfast.engine.lock.LockEngine;
import io.holdfast.engine.view.SessionUsage;

import org.jspecify.annotations.Nullable;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongFunction;

/**
 * One node's replica of the replicated state. Equal entries in equal order produce equal replicas.
 * Used by one thread at a time: callers hold the driver's lock.
 *
 * <p>Time in here advances by the difference between the timestamps of two entries of one term,
 * which are readings of one leader's monotonic clock. It does not advance between the last entry of
 * a term and the first of the next, so time without a leader shortens no lease and no session.
 */
public final class Replica {
    private static final Command TICK = new Command.Tick();

    /** The maximum number of holds and waits of ended sessions that are removed with one entry. */
    private static final int END_SLICE = 1000;

    /** A session that has ended and may still have holds or waits in the engine. */
    private record Ending(long session, long lastAnswered, long successorsSinceNanos) {
        long hash() {
            FieldHash out = new FieldHash().number(session).number(lastAnswered);
            return out.number(successorsSinceNanos).value();
        }
    }

    /** What a node has announced: the highest version of the cluster that it knows. */
    private record Announcement(String node, int known) {}

    /**
     * Describes the client of a session.
     *
     * @param concurrent whether the session has several requests in flight
     */
    public record SessionInfo(String protocol, String name, boolean concurrent) {
        static final SessionInfo UNKNOWN = new SessionInfo("", "", false);
    }

    private final int known;
    private final ReplicaListener listener;
    private final MemoryBudgets memory;
    private final LongFunction<@Nullable ClientUsage> clients;
    private final ReplicatedSignals signals = new ReplicatedSignals();
    private final List<Effect> effects = new ArrayList<>();
    private final List<KeyEvent> events = new ArrayList<>();

    private @Nullable UUID cluster;
    private int version = ClusterVersion.FIRST;

    /** The last announcement of each node, by the id of its data directory. */
    private final NavigableMap<UUID, Announcement> announcements = new TreeMap<>();

    /** The number of batches that were applied in the trial version. */
    private long trialBatches;

    private ReplicatedSettings replicatedSettings;
    private LockEngine engine;
    private ReplicatedQuotas quotas;
    private long term = -1;
    private long stampNanos;
    private long timeNanos;

    /** The state time up to which deadlines expire with the current entry. */
    private long dueNanos;

    private long lastIncarnation;

    /** The number of entries applied here; not part of the state. */
    private long entries;

    /** The number of {@link LogEntry.CheckState} entries among them; not part of the state. */
    private long checks;

    private final NavigableMap<Long, NodeIncarnation> incarnations = new TreeMap<>();

    /** Every session that may have something in the state. */
    private final SessionInfos sessions = new SessionInfos();

    private final Deque<Ending> ending = new ArrayDeque<>();

    private SequenceHash endingHash = new SequenceHash();

    /**
     * @param replicatedSettings in effect until the log changes them
     */
    public Replica(
            ReplicatedSettings replicatedSettings,
            MemoryBudgets memory,
            ReplicaListener replicaListener) {
        this(replicatedSettings, ClusterVersion.LATEST, memory, _ -> null, replicaListener);
    }

    /**
     * @param replicatedSettings in effect until the log changes them
     * @param known the highest version of the cluster that this node knows
     * @param clients returns the client of a session of this node, and null for other sessions
     */
    public Replica(
            ReplicatedSettings replicatedSettings,
            int known,
            MemoryBudgets memory,
            LongFunction<@Nullable ClientUsage> clients,
            ReplicaListener replicaListener) {
        this.known = known;
        this.replicatedSettings = replicatedSettings;
        this.memory = memory;
        this.clients = clients;
        this.listener = replicaListener;
        this.engine = new LockEngine(replicatedSettings.settings(), new StateHash(true));
        this.quotas = new ReplicatedQuotas(memory, replicatedSettings.keyCountLimits(), clients);
        engine.recordEvents(events);
        signals.limit(replicatedSettings.maxSubscriptions());
    }

    /** Applies the next entry. */
    public void apply(long entryTerm, EntryTime time, LogEntry logEntry) {
        entries++;
        move(entryTerm, time);
        endSilentIncarnations();
        apply(logEntry);
        publishEffects(TICK);
        endSome();
    }

    private void apply(LogEntry logEntry) {
        switch (logEntry) {
            case LogEntry.EntryBatch(List<LogEntry> entries) -> entries.forEach(this::apply);
            case LogEntry.CreateCluster(UUID id, long fence) -> {
                if (cluster == null) {
                    cluster = id;
                    quotas.raiseFence(fence);
                }
            }
            case LogEntry.ChangeSettings(ReplicatedSettings next) -> {
                replicatedSettings = next;
                engine.configure(next.settings());
                quotas.limit(next.keyCountLimits());
                signals.limit(next.maxSubscriptions());
            }
            case LogEntry.Announce(String node, UUID dataId, int highest) -> {
                announcements.values().removeIf(old -> old.node().equals(node));
                announcements.put(dataId, new Announcement(node, highest));
            }
            case LogEntry.RaiseVersion(int next) -> {
                if (next > known) {
                    throw new IllegalStateException(
                            ClusterVersion.unknown("the cluster", next, known));
                }
                version = Math.max(version, next);
            }
            case LogEntry.BeginIncarnation beginIncarnation -> beginIncarnation(beginIncarnation);
            case LogEntry.Batch batch -> apply(batch);
            case LogEntry.EndIncarnation(long number) -> {
                NodeIncarnation nodeIncarnation = incarnations.get(number);
                if (nodeIncarnation != null) {
                    end(nodeIncarnation, Command.FOREVER);
                }
            }
            case LogEntry.Tick() -> {}
            case LogEntry.CheckState() -> checks++;
            case LogEntry.Collect(int maxExamined) ->
                    publishEffects(new Command.Collect(maxExamined));
        }
    }

    private void move(long entryTerm, EntryTime time) {
        if (entryTerm == term) {
            timeNanos += Math.max(0, time.nanos() - stampNanos);
            stampNanos = Math.max(stampNanos, time.nanos());
        } else {
            term = entryTerm;
            stampNanos = time.nanos();
        }
        dueNanos = timeNanos - (stampNanos - time.dueNanos());
    }

    private void beginIncarnation(LogEntry.BeginIncarnation beginIncarnation) {
        for (NodeIncarnation nodeIncarnation : incarnations.values()) {
            if (nodeIncarnation.nonce.equals(beginIncarnation.nonce())) {
                listener.onIncarnationBegun(
                        beginIncarnation.node(), beginIncarnation.nonce(), nodeIncarnation.number);
                return;
            }
        }
        endEmptyIncarnations(beginIncarnation.node());
        NodeIncarnation nodeIncarnation =
                new NodeIncarnation(
                        ++lastIncarnation,
                        beginIncarnation.node(),
                        beginIncarnation.nonce(),
                        timeNanos);
        incarnations.put(nodeIncarnation.number, nodeIncarnation);
        listener.onIncarnationBegun(
                beginIncarnation.node(), beginIncarnation.nonce(), nodeIncarnation.number);
    }

    /**
     * Ends the node's incarnations without sessions. A delayed entry may begin an incarnation that
     * the node no longer uses, so the listener is notified.
     */
    private void endEmptyIncarnations(String node) {
        for (NodeIncarnation old : List.copyOf(incarnations.values())) {
            if (old.node.equals(node) && !hasSessions(old)) {
                end(old, Command.FOREVER);
            }
        }
    }

    private void apply(LogEntry.Batch batch) {
        NodeIncarnation nodeIncarnation = incarnations.get(batch.incarnation());
        if (nodeIncarnation == null || batch.sequence() != nodeIncarnation.lastSequence + 1) {
            return;
        }
        if (ClusterVersion.isTrial(version)) {
            trialBatches++;
        }
        nodeIncarnation.lastSequence = batch.sequence();
        nodeIncarnation.lastContactNanos = timeNanos;
        listener.onBatchStart(nodeIncarnation.number, batch.sequence());
        List<BatchItem> items = batch.items();
        for (int i = 0; i < items.size(); i++) {
            BatchItem batchItem = items.get(i);
            if (SessionIdEncoding.incarnation(batchItem.session()) == nodeIncarnation.number) {
                apply(batchItem);
            }
        }
        listener.onBatchApplied(nodeIncarnation.number, batch.sequence());
    }

    private void apply(BatchItem batchItem) {
        switch (batchItem) {
            case BatchItem.Submit(Command.Keyed command) -> {
                if (command instanceof Command.Locking) { // data is not owned by a session
                    sessions.addIfAbsent(command.session());
                }
                engine.apply(command, timeNanos, dueNanos, quotas, effects);
                listener.onItemApplied(
                        batchItem, publishEffects(command.session(), command.request()));
            }
            case BatchItem.RegisterSession(
                            long session,
                            String protocol,
                            String name,
                            boolean concurrent) -> {
                sessions.put(session, new SessionInfo(protocol, name, concurrent));
                listener.onItemApplied(batchItem, null);
            }
            case BatchItem.EndSession(long session, long lastAnswered) -> {
                listener.onItemApplied(batchItem, null);
                Ending end = new Ending(session, lastAnswered, Command.FOREVER);
                if (end(end, END_SLICE) < 0) {
                    addEnding(end);
                }
            }
            case BatchItem.Listen listen -> {
                sessions.addIfAbsent(listen.session());
                publishResult(batchItem, signals.listen(listen));
            }
            case BatchItem.Unlisten unlisten ->
                    publishResult(batchItem, signals.unlisten(unlisten));
            case BatchItem.Emit emit -> publishResult(batchItem, signals.emit(emit));
        }
    }

    private void publishResult(BatchItem batchItem, Effect result) {
        listener.onEffect(result);
        listener.onItemApplied(batchItem, result);
    }

    // ---- ends of sessions and incarnations

    private boolean hasSessions(NodeIncarnation nodeIncarnation) {
        return !sessionsOf(nodeIncarnation).isEmpty();
    }

    private NavigableMap<Long, SessionInfo> sessionsOf(NodeIncarnation nodeIncarnation) {
        return sessions.between(
                SessionIdEncoding.first(nodeIncarnation.number),
                SessionIdEncoding.first(nodeIncarnation.number + 1));
    }

    /**
     * Ends incarnations whose session timeout has passed. A node without sessions may be silent.
     */
    private void endSilentIncarnations() {
        List<NodeIncarnation> silent = List.of();
        for (NodeIncarnation nodeIncarnation : incarnations.values()) {
            if (silentAt(nodeIncarnation) <= dueNanos && hasSessions(nodeIncarnation)) {
                silent = new ArrayList<>(silent);
                silent.add(nodeIncarnation);
            }
        }
        for (NodeIncarnation nodeIncarnation : silent) {
            end(nodeIncarnation, nodeIncarnation.lastContactNanos);
        }
    }

    /**
     * The state time at which the incarnation's session timeout ends. There is none for the last
     * incarnation of the only node, since no other node could be granted what would be released.
     */
    private long silentAt(NodeIncarnation nodeIncarnation) {
        if (isLastOfTheOnlyNode(nodeIncarnation)) {
            return Long.MAX_VALUE;
        }
        long at = nodeIncarnation.lastContactNanos + replicatedSettings.sessionNanos();
        return at < nodeIncarnation.lastContactNanos ? Long.MAX_VALUE : at;
    }

    private boolean isLastOfTheOnlyNode(NodeIncarnation nodeIncarnation) {
        if (nodeIncarnation.number != lastIncarnation) {
            return false;
        }
        for (NodeIncarnation other : incarnations.values()) {
            if (!other.node.equals(nodeIncarnation.node)) {
                return false;
            }
        }
        return true;
    }

    private void end(NodeIncarnation nodeIncarnation, long successorsSinceNanos) {
        for (long session : sessionsOf(nodeIncarnation).keySet()) {
            addEnding(new Ending(session, Long.MAX_VALUE, successorsSinceNanos));
        }
        incarnations.remove(nodeIncarnation.number);
        listener.onIncarnationEnded(nodeIncarnation.number);
    }

    private void addEnding(Ending end) {
        ending.addLast(end);
        endingHash.addLast(end.hash());
    }

    /** Ends sessions: a bounded number of holds and waits with each entry. */
    private void endSome() {
        int left = END_SLICE;
        while (left > 0 && !ending.isEmpty()) {
            int cost = end(ending.getFirst(), left);
            if (cost < 0) {
                return;
            }
            left -= cost;
            endingHash.removeFirst(ending.removeFirst().hash());
        }
    }

    /**
     * Ends a session as far as the limit permits. Returns the number of holds and waits that ended,
     * plus one, or -1 if the session has more of them.
     */
    private int end(Ending end, int max) {
        if (signals.endSome(end.session(), end.session(), max)) {
            return -1;
        }
        SessionUsage usage = engine.views().usage(end.session());
        publishEffects(
                new Command.CloseSession(
                        end.session(), end.lastAnswered(), max, end.successorsSinceNanos()));
        if (engine.hasSession(end.session())) {
            return -1;
        }
        listener.onSessionEnded(end.session());
        sessions.remove(end.session());
        return 1 + usage.holds() + usage.waits();
    }

    // ---- effects and events

    private void publishEffects(Command command) {
        engine.apply(command, timeNanos, dueNanos, quotas, effects);
        Effect _ = publishEffects(0, 0);
    }

    /** Publishes the effects. Returns the result of the request, or null if it has none yet. */
    private @Nullable Effect publishEffects(long session, long request) {
        Effect result = null;
        for (int i = 0; i < effects.size(); i++) {
            Effect effect = effects.get(i);
            if (result == null && effect.session() == session && effect.request() == request) {
                result = effect;
            }
            listener.onEffect(effect);
        }
        effects.clear();
        return result;
    }

    /** Returns the events of keys since the list was last cleared. The caller clears it. */
    public List<KeyEvent> events() {
        return events;
    }

    // ---- queries

    public LockEngine engine() {
        return engine;
    }

    /** Returns the signal listeners; the same object for the lifetime of the replica. */
    public ReplicatedSignals signals() {
        return signals;
    }

    public ReplicatedSettings rules() {
        return replicatedSettings;
    }

    /** Returns the id of the cluster; null until the entry that creates the cluster is applied. */
    public @Nullable UUID cluster() {
        return cluster;
    }

    /** Returns the version of the cluster. */
    public int version() {
        return version;
    }

    /**
     * Returns the highest version of the cluster that all given members know as far as they have
     * announced it; 0 if one has not.
     *
     * @param members the ids of their data directories
     */
    public int versionKnownTo(Set<UUID> members) {
        int common = Integer.MAX_VALUE;
        for (UUID member : members) {
            Announcement announcement = announcements.get(member);
            common = Math.min(common, announcement == null ? 0 : announcement.known());
        }
        return members.isEmpty() ? 0 : common;
    }

    /** Returns the number of entries applied here. */
    public long entries() {
        return entries;
    }

    /** Returns the number of {@link LogEntry.CheckState} entries applied here. */
    public long checks() {
        return checks;
    }

    /** Returns the state time. */
    public long timeNanos() {
        return timeNanos;
    }

    /** Returns the term of the last entry. */
    public long term() {
        return term;
    }

    /**
     * Returns the timestamp of the last entry: a reading of the monotonic clock of that term's
     * leader.
     */
    public long stampNanos() {
        return stampNanos;
    }

    /**
     * Returns the state time of the next deadline: {@link Long#MIN_VALUE} if something remains to
     * be done at once, {@link Long#MAX_VALUE} if there is none.
     */
    public long nextDueNanos() {
        if (!ending.isEmpty()) {
            return Long.MIN_VALUE;
        }
        long next = engine.nextDeadlineNanos();
        for (NodeIncarnation nodeIncarnation : incarnations.values()) {
            if (silentAt(nodeIncarnation) < next && hasSessions(nodeIncarnation)) {
                next = silentAt(nodeIncarnation);
            }
        }
        return next;
    }

    /**
     * Returns the hash of the state, in a time that does not depend on its size. It covers what
     * {@link LockEngine#hash} does, and what {@link #write} adds to that, but for the order and the
     * turns of signal listeners. Hashes are comparable if {@link StateHash#VERSION} is the same.
     */
    public long hash() {
        FieldHash out = new FieldHash();
        out.number(version).number(trialBatches);
        out.flag(cluster != null);
        if (cluster != null) {
            hash(cluster, out);
        }
        out.bytes(
                LogEntryEncoding.encode(new LogEntry.ChangeSettings(replicatedSettings), version));
        out.number(term).number(stampNanos).number(timeNanos).number(lastIncarnation);
        quotas.hash(out);
        out.number(announcements.size());
        announcements.forEach(
                (dataId, announcement) -> {
                    hash(dataId, out);
                    out.text(announcement.node()).number(announcement.known());
                });
        out.number(incarnations.size());
        for (NodeIncarnation nodeIncarnation : incarnations.values()) {
            out.number(nodeIncarnation.number).text(nodeIncarnation.node);
            hash(nodeIncarnation.nonce, out);
            out.number(nodeIncarnation.lastSequence).number(nodeIncarnation.lastContactNanos);
        }
        out.number(sessions.hash()).number(ending.size()).number(endingHash.value());
        out.number(signals.hash()).number(engine.hash());
        return out.number(engine.quarantineEndNanos()).value();
    }

    private static void hash(UUID id, FieldHash out) {
        out.number(id.getMostSignificantBits()).number(id.getLeastSignificantBits());
    }

    // ---- snapshots

    /** Writes the whole state, in the form of the {@link #version} that it has. */
    public void write(DataOutput out) throws IOException {
        if (ClusterVersion.isTrial(version)) {
            out.writeLong(trialBatches);
        }
        out.writeBoolean(cluster != null);
        if (cluster != null) {
            write(cluster, out);
        }
        byte[] settings =
                LogEntryEncoding.encode(new LogEntry.ChangeSettings(replicatedSettings), version);
        out.writeInt(settings.length);
        out.write(settings);
        out.writeLong(term);
        out.writeLong(stampNanos);
        out.writeLong(timeNanos);
        out.writeLong(lastIncarnation);
        quotas.write(out);
        out.writeInt(announcements.size());
        for (Map.Entry<UUID, Announcement> entry : announcements.entrySet()) {
            write(entry.getKey(), out);
            out.writeUTF(entry.getValue().node());
            out.writeInt(entry.getValue().known());
        }
        out.writeInt(incarnations.size());
        for (NodeIncarnation nodeIncarnation : incarnations.values()) {
            out.writeLong(nodeIncarnation.number);
            out.writeUTF(nodeIncarnation.node);
            write(nodeIncarnation.nonce, out);
            out.writeLong(nodeIncarnation.lastSequence);
            out.writeLong(nodeIncarnation.lastContactNanos);
        }
        out.writeInt(sessions.size());
        for (Map.Entry<Long, SessionInfo> entry : sessions.all().entrySet()) {
            out.writeLong(entry.getKey());
            out.writeUTF(entry.getValue().protocol());
            out.writeUTF(entry.getValue().name());
            out.writeBoolean(entry.getValue().concurrent());
        }
        out.writeInt(ending.size());
        for (Ending end : ending) {
            out.writeLong(end.session());
            out.writeLong(end.lastAnswered());
            out.writeLong(end.successorsSinceNanos());
        }
        signals.write(out);
        engine.write(out);
        engine.writeQuarantine(out);
    }

    private static void write(UUID id, DataOutput out) throws IOException {
        out.writeLong(id.getMostSignificantBits());
        out.writeLong(id.getLeastSignificantBits());
    }

    /**
     * Replaces the state by one that was written with {@link #write}.
     *
     * @param written the {@link #version} of that state, which this node must know
     */
    public void read(DataInput in, int written) throws IOException {
        version = written;
        trialBatches = ClusterVersion.isTrial(written) ? in.readLong() : 0;
        cluster = in.readBoolean() ? readId(in) : null;
        byte[] settings = new byte[in.readInt()];
        in.readFully(settings);
        if (!(LogEntryEncoding.decode(settings, written)
                instanceof LogEntry.ChangeSettings(ReplicatedSettings read))) {
            throw new IOException("the replicated settings are missing");
        }
        replicatedSettings = read;
        term = in.readLong();
        stampNanos = in.readLong();
        timeNanos = in.readLong();
        lastIncarnation = in.readLong();
        quotas.releaseAll(engine);
        quotas = new ReplicatedQuotas(memory, replicatedSettings.keyCountLimits(), clients);
        quotas.read(in);
        announcements.clear();
        for (int left = in.readInt(); left > 0; left--) {
            announcements.put(readId(in), new Announcement(in.readUTF(), in.readInt()));
        }
        incarnations.clear();
        for (int left = in.readInt(); left > 0; left--) {
            long number = in.readLong();
            NodeIncarnation nodeIncarnation =
                    new NodeIncarnation(number, in.readUTF(), readId(in), 0);
            nodeIncarnation.lastSequence = in.readLong();
            nodeIncarnation.lastContactNanos = in.readLong();
            incarnations.put(number, nodeIncarnation);
        }
        sessions.clear();
        for (int left = in.readInt(); left > 0; left--) {
            sessions.put(
                    in.readLong(), new SessionInfo(in.readUTF(), in.readUTF(), in.readBoolean()));
        }
        ending.clear();
        endingHash = new SequenceHash();
        for (int left = in.readInt(); left > 0; left--) {
            addEnding(new Ending(in.readLong(), in.readLong(), in.readLong()));
        }
        signals.limit(replicatedSettings.maxSubscriptions());
        signals.read(in);
        engine = LockEngine.read(in, replicatedSettings.settings(), new StateHash(true));
        engine.readQuarantine(in);
        quotas.chargeFor(engine);
        events.clear();
        engine.recordEvents(events);
        listener.onStateReplaced();
    }

    /** Returns a replica that serves no client, without any state. */
    public static Replica withoutClients() {
        ReplicatedSettings initial =
                new ReplicatedSettings(
                        new EngineSettings(0, 0, true), KeyCountLimits.NONE, Long.MAX_VALUE, 0);
        return new Replica(initial, MemoryBudgets.UNLIMITED, new IgnoringListener());
    }

    /**
     * Returns a replica that serves no client, with the state of a {@link SnapshotFile}.
     *
     * @param known the highest version of the cluster that this node knows
     */
    public static Replica of(Path snapshot, int known) throws IOException {
        Replica replica = withoutClients();
        SnapshotFile.read(
                snapshot,
                known,
                (in, version) -> {
                    replica.read(in, version);
                    return replica;
                });
        return replica;
    }

    /**
     * Writes the state as the initial one of a new cluster. That gets its own id, nodes and clock,
     * so the old ones are left out.
     */
    public void writeAsNew(DataOutput out) throws IOException {
        cluster = null;
        term = -1;
        announcements.clear();
        write(out);
    }

    /**
     * Prepares the state for a new cluster, if the last changes may be missing: what they have
     * granted may be held still, and have higher fences.
     *
     * @param quarantineNanos for how long at least nothing but shared locks is granted, in state
     *     time
     * @param fences the number of fences that the missing changes can have used
     */
    public void recover(long quarantineNanos, long fences) {
        long until = Math.addExact(timeNanos, quarantineNanos);
        engine.quarantine(Math.max(until, engine.quarantineEndNanos()));
        quotas.raiseFence(quotas.lastFence() + fences);
    }

    /** Returns the last fence that was granted. */
    public long lastFence() {
        return quotas.lastFence();
    }

    private static UUID readId(DataInput in) throws IOException {
        return new UUID(in.readLong(), in.readLong());
    }

    /** Describes the client of a session; null if the session has nothing in the state. */
    public @Nullable SessionInfo sessionInfo(long session) {
        return sessions.get(session);
    }

    /** Returns the node that a session is connected to; null if its incarnation has ended. */
    public @Nullable String nodeOf(long session) {
        NodeIncarnation nodeIncarnation = incarnations.get(SessionIdEncoding.incarnation(session));
        return nodeIncarnation == null ? null : nodeIncarnation.node;
    }

    /** The listener of a replica that serves no clients. */
    private static final class IgnoringListener implements ReplicaListener {
        @Override
        public void onEffect(Effect effect) {}

        @Override
        public void onItemApplied(BatchItem batchItem, @Nullable Effect result) {}

        @Override
        public void onBatchStart(long incarnation, long sequence) {}

        @Override
        public void onBatchApplied(long incarnation, long sequence) {}

        @Override
        public void onIncarnationBegun(String node, UUID nonce, long incarnation) {}

        @Override
        public void onSessionEnded(long session) {}

        @Override
        public void onIncarnationEnded(long incarnation) {}

        @Override
        public void onStateReplaced() {}
    }
}
