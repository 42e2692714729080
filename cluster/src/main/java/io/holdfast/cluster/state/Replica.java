package io.holdfast.cluster.state;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.signal.ReplicatedSignals;
import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.KeyLimits;
import io.holdfast.driver.MemoryBudgets;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.LockEngine;
import io.holdfast.engine.SessionUsage;

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
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongFunction;

/**
 * One node's copy of what all nodes agree on. Equal entries in equal order make equal copies. One
 * thread at a time: its owner has the lock.
 *
 * <p>Time in here moves by the difference between the stamps of two entries of one term, which are
 * readings of one leader's monotonic clock. From one term to the next it stands still, so time
 * without a leader counts against nobody.
 */
public final class Replica {
    private static final Command TICK = new Command.Tick();

    /** How many holds and waits of ended sessions go with one entry. */
    private static final int END_SLICE = 1000;

    /** A session of which something may be left in the engine. */
    private record Ending(long session, long lastAnswered, long successorsSinceNanos) {}

    /**
     * Who is behind a session.
     *
     * @param concurrent whether it does several things at once
     */
    public record SessionInfo(String protocol, String name, boolean concurrent) {
        static final SessionInfo UNKNOWN = new SessionInfo("", "", false);
    }

    private final ReplicaListener listener;
    private final MemoryBudgets memory;
    private final LongFunction<@Nullable ClientUsage> clients;
    private final ReplicatedSignals signals = new ReplicatedSignals();
    private final List<Effect> effects = new ArrayList<>();
    private final List<KeyEvent> events = new ArrayList<>();

    private @Nullable UUID cluster;
    private ReplicatedSettings replicatedSettings;
    private LockEngine engine;
    private ReplicatedQuotas quotas;
    private long term = -1;
    private long stampNanos;
    private long timeNanos;
    private long lastIncarnation;

    /** Not part of the state: how many entries were applied here. */
    private long entries;

    private final NavigableMap<Long, NodeIncarnation> incarnations = new TreeMap<>();

    /** What each node has on its disk, by the name of the node. */
    private final Map<String, UUID> dataIds = new TreeMap<>();

    /** Every session that may have something in the state. */
    private final NavigableMap<Long, SessionInfo> sessions = new TreeMap<>();

    private final Deque<Ending> ending = new ArrayDeque<>();

    /**
     * @param replicatedSettings until the log says others
     */
    public Replica(
            ReplicatedSettings replicatedSettings,
            MemoryBudgets memory,
            ReplicaListener replicaListener) {
        this(replicatedSettings, memory, _ -> null, replicaListener);
    }

    /**
     * @param replicatedSettings until the log says others
     * @param clients of sessions on this node
     */
    public Replica(
            ReplicatedSettings replicatedSettings,
            MemoryBudgets memory,
            LongFunction<@Nullable ClientUsage> clients,
            ReplicaListener replicaListener) {
        this.replicatedSettings = replicatedSettings;
        this.memory = memory;
        this.clients = clients;
        this.listener = replicaListener;
        this.engine = new LockEngine(replicatedSettings.settings());
        this.quotas = new ReplicatedQuotas(memory, replicatedSettings.caps(), clients);
        engine.recordEvents(events);
        signals.limit(replicatedSettings.maxSubscriptions());
    }

    /** Applies the next entry. */
    public void apply(long entryTerm, long entryStampNanos, LogEntry logEntry) {
        entries++;
        move(entryTerm, entryStampNanos);
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
                quotas.cap(next.caps());
                signals.limit(next.maxSubscriptions());
            }
            case LogEntry.BeginIncarnation beginIncarnation -> join(beginIncarnation);
            case LogEntry.Batch batch -> apply(batch);
            case LogEntry.EndIncarnation(long number) -> {
                NodeIncarnation nodeIncarnation = incarnations.get(number);
                if (nodeIncarnation != null) {
                    end(nodeIncarnation, Command.FOREVER);
                }
            }
            case LogEntry.Tick() -> {}
            case LogEntry.Collect(int most) -> publishEffects(new Command.Collect(most));
        }
    }

    private void move(long entryTerm, long entryStampNanos) {
        if (entryTerm == term) {
            timeNanos += Math.max(0, entryStampNanos - stampNanos);
            stampNanos = Math.max(stampNanos, entryStampNanos);
        } else {
            term = entryTerm;
            stampNanos = entryStampNanos;
        }
    }

    /** The names of all nodes that have ever served. */
    public List<String> nodes() {
        return List.copyOf(dataIds.keySet());
    }

    private void join(LogEntry.BeginIncarnation beginIncarnation) {
        UUID known = dataIds.putIfAbsent(beginIncarnation.node(), beginIncarnation.dataId());
        if (known != null && !known.equals(beginIncarnation.dataId())) {
            listener.onIncarnationRejected(
                    beginIncarnation.node(),
                    beginIncarnation.nonce(),
                    "the cluster knows "
                            + beginIncarnation.node()
                            + " with another data directory: a node that lost its data must come"
                            + " back under a new name");
            return;
        }
        for (NodeIncarnation nodeIncarnation : incarnations.values()) {
            if (nodeIncarnation.nonce.equals(beginIncarnation.nonce())) {
                listener.onIncarnationBegun(
                        beginIncarnation.node(), beginIncarnation.nonce(), nodeIncarnation.number);
                return;
            }
        }
        endEmpty(beginIncarnation.node());
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

    /** A late entry may even begin a stint that nobody serves, so the node is told. */
    private void endEmpty(String node) {
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
                if (command instanceof Command.Locking) { // data belongs to no session
                    sessions.putIfAbsent(command.session(), SessionInfo.UNKNOWN);
                }
                engine.apply(command, timeNanos, quotas, effects);
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
                    ending.addLast(end);
                }
            }
            case BatchItem.Listen listen -> {
                sessions.putIfAbsent(listen.session(), SessionInfo.UNKNOWN);
                answer(batchItem, signals.listen(listen));
            }
            case BatchItem.Unlisten unlisten -> answer(batchItem, signals.unlisten(unlisten));
            case BatchItem.Emit emit -> answer(batchItem, signals.emit(emit));
        }
    }

    private void answer(BatchItem batchItem, Effect answer) {
        listener.onEffect(answer);
        listener.onItemApplied(batchItem, answer);
    }

    // ---- ends

    private boolean hasSessions(NodeIncarnation nodeIncarnation) {
        return !sessionsOf(nodeIncarnation).isEmpty();
    }

    private NavigableMap<Long, SessionInfo> sessionsOf(NodeIncarnation nodeIncarnation) {
        return sessions.subMap(
                SessionIdEncoding.first(nodeIncarnation.number),
                true,
                SessionIdEncoding.first(nodeIncarnation.number + 1),
                false);
    }

    /** A node that has nothing to lose may be silent. */
    private void endSilentIncarnations() {
        List<NodeIncarnation> silent = List.of();
        for (NodeIncarnation nodeIncarnation : incarnations.values()) {
            if (silentAt(nodeIncarnation) <= timeNanos && hasSessions(nodeIncarnation)) {
                silent = new ArrayList<>(silent);
                silent.add(nodeIncarnation);
            }
        }
        for (NodeIncarnation nodeIncarnation : silent) {
            end(nodeIncarnation, nodeIncarnation.lastContactNanos);
        }
    }

    /** Nothing ends where no other node could be given what comes free. */
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

    private void end(NodeIncarnation nodeIncarnation, long heirsSinceNanos) {
        for (long session : sessionsOf(nodeIncarnation).keySet()) {
            ending.addLast(new Ending(session, Long.MAX_VALUE, heirsSinceNanos));
        }
        incarnations.remove(nodeIncarnation.number);
        listener.onIncarnationEnded(nodeIncarnation.number);
    }

    /** Ends sessions, a bounded number of holds and waits with each entry. */
    private void endSome() {
        int left = END_SLICE;
        while (left > 0 && !ending.isEmpty()) {
            int cost = end(ending.getFirst(), left);
            if (cost < 0) {
                return;
            }
            left -= cost;
            ending.removeFirst();
        }
    }

    /** Ends a session as far as may be; what that cost, or -1 if something of it is left. */
    private int end(Ending end, int most) {
        if (signals.endSome(end.session(), end.session(), most)) {
            return -1;
        }
        SessionUsage had = engine.views().usage(end.session());
        publishEffects(
                new Command.CloseSession(
                        end.session(), end.lastAnswered(), most, end.successorsSinceNanos()));
        if (engine.hasSession(end.session())) {
            return -1;
        }
        listener.onSessionEnded(end.session());
        sessions.remove(end.session());
        return 1 + had.holds() + had.waits();
    }

    // ---- what is told

    private void publishEffects(Command command) {
        engine.apply(command, timeNanos, quotas, effects);
        Effect _ = publishEffects(0, 0);
    }

    /** Passes effects on; the one that answers a request. */
    private @Nullable Effect publishEffects(long session, long request) {
        Effect answer = null;
        for (int i = 0; i < effects.size(); i++) {
            Effect effect = effects.get(i);
            if (answer == null && effect.session() == session && effect.request() == request) {
                answer = effect;
            }
            listener.onEffect(effect);
        }
        effects.clear();
        return answer;
    }

    /** What happened to keys since this was last cleared; whoever wants to know clears it. */
    public List<KeyEvent> events() {
        return events;
    }

    // ---- what can be asked

    public LockEngine engine() {
        return engine;
    }

    /** May be kept: it stays the same object. */
    public ReplicatedSignals signals() {
        return signals;
    }

    public ReplicatedSettings rules() {
        return replicatedSettings;
    }

    /** Null until the first entry. */
    public @Nullable UUID cluster() {
        return cluster;
    }

    /** How many entries were applied. */
    public long entries() {
        return entries;
    }

    /** Time in the state. */
    public long timeNanos() {
        return timeNanos;
    }

    /** The term of the last entry. */
    public long term() {
        return term;
    }

    /** The stamp of the last entry: what the clock of that term's leader said. */
    public long stampNanos() {
        return stampNanos;
    }

    /** When something is due; {@link Long#MAX_VALUE} if nothing is. */
    public long nextDueNanos() {
        if (!ending.isEmpty()) {
            return timeNanos;
        }
        long next = engine.nextDeadlineNanos();
        for (NodeIncarnation nodeIncarnation : incarnations.values()) {
            if (silentAt(nodeIncarnation) < next && hasSessions(nodeIncarnation)) {
                next = silentAt(nodeIncarnation);
            }
        }
        return next;
    }

    // ---- snapshots

    /** Writes all of it. */
    public void write(DataOutput out) throws IOException {
        out.writeBoolean(cluster != null);
        if (cluster != null) {
            write(cluster, out);
        }
        byte[] governing = LogEntryEncoding.encode(new LogEntry.ChangeSettings(replicatedSettings));
        out.writeInt(governing.length);
        out.write(governing);
        out.writeLong(term);
        out.writeLong(stampNanos);
        out.writeLong(timeNanos);
        out.writeLong(lastIncarnation);
        quotas.write(out);
        out.writeInt(incarnations.size());
        for (NodeIncarnation nodeIncarnation : incarnations.values()) {
            out.writeLong(nodeIncarnation.number);
            out.writeUTF(nodeIncarnation.node);
            write(nodeIncarnation.nonce, out);
            out.writeLong(nodeIncarnation.lastSequence);
            out.writeLong(nodeIncarnation.lastContactNanos);
        }
        out.writeInt(dataIds.size());
        for (Map.Entry<String, UUID> entry : dataIds.entrySet()) {
            out.writeUTF(entry.getKey());
            write(entry.getValue(), out);
        }
        out.writeInt(sessions.size());
        for (Map.Entry<Long, SessionInfo> entry : sessions.entrySet()) {
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
    }

    private static void write(UUID id, DataOutput out) throws IOException {
        out.writeLong(id.getMostSignificantBits());
        out.writeLong(id.getLeastSignificantBits());
    }

    /**
     * Becomes what was written.
     *
     * @param version of {@link SnapshotFile} that it was written in
     */
    public void read(DataInput in, int version) throws IOException {
        cluster = in.readBoolean() ? readId(in) : null;
        byte[] governing = new byte[in.readInt()];
        in.readFully(governing);
        if (!(LogEntryEncoding.decode(governing)
                instanceof LogEntry.ChangeSettings(ReplicatedSettings read))) {
            throw new IOException("the rules are missing");
        }
        replicatedSettings = read;
        term = in.readLong();
        stampNanos = in.readLong();
        timeNanos = in.readLong();
        lastIncarnation = in.readLong();
        quotas.releaseAll(engine);
        quotas = new ReplicatedQuotas(memory, replicatedSettings.caps(), clients);
        quotas.read(in);
        incarnations.clear();
        for (int left = in.readInt(); left > 0; left--) {
            long number = in.readLong();
            NodeIncarnation nodeIncarnation =
                    new NodeIncarnation(number, in.readUTF(), readId(in), 0);
            nodeIncarnation.lastSequence = in.readLong();
            nodeIncarnation.lastContactNanos = in.readLong();
            incarnations.put(number, nodeIncarnation);
        }
        dataIds.clear();
        for (int left = in.readInt(); left > 0; left--) {
            dataIds.put(in.readUTF(), readId(in));
        }
        sessions.clear();
        for (int left = in.readInt(); left > 0; left--) {
            sessions.put(
                    in.readLong(),
                    new SessionInfo(in.readUTF(), in.readUTF(), version > 1 && in.readBoolean()));
        }
        ending.clear();
        for (int left = in.readInt(); left > 0; left--) {
            ending.addLast(new Ending(in.readLong(), in.readLong(), in.readLong()));
        }
        signals.limit(replicatedSettings.maxSubscriptions());
        signals.read(in);
        engine = LockEngine.read(in, replicatedSettings.settings());
        quotas.chargeFor(engine);
        events.clear();
        engine.recordEvents(events);
        listener.onStateReplaced();
    }

    /**
     * Writes what a new cluster begins with that is made from a copy of another: it has an id and
     * nodes of its own, and the clocks of the old leaders mean nothing to it.
     *
     * @param copy what {@link SnapshotFile} has of the other
     */
    public static void restore(Path copy, DataOutput out) throws IOException {
        ReplicatedSettings until =
                new ReplicatedSettings(
                        new EngineSettings(0, 0, true), KeyLimits.NONE, Long.MAX_VALUE, 0);
        Replica replica = new Replica(until, MemoryBudgets.UNLIMITED, new IgnoringListener());
        SnapshotFile.read(
                copy,
                (in, version) -> {
                    replica.read(in, version);
                    return replica;
                });
        replica.cluster = null;
        replica.term = -1;
        replica.dataIds.clear();
        replica.write(out);
    }

    private static UUID readId(DataInput in) throws IOException {
        return new UUID(in.readLong(), in.readLong());
    }

    /** Who is behind a session; null if it has nothing in the state. */
    public @Nullable SessionInfo sessionInfo(long session) {
        return sessions.get(session);
    }

    /** The node that a session is connected to; null if that serves no longer. */
    public @Nullable String nodeOf(long session) {
        NodeIncarnation nodeIncarnation = incarnations.get(SessionIdEncoding.incarnation(session));
        return nodeIncarnation == null ? null : nodeIncarnation.node;
    }

    /** The names that were ever given to a node. */
    public Map<String, UUID> dataIds() {
        return dataIds;
    }

    /** For a copy that serves nobody. */
    private static final class IgnoringListener implements ReplicaListener {
        @Override
        public void onEffect(Effect effect) {}

        @Override
        public void onItemApplied(BatchItem batchItem, @Nullable Effect answer) {}

        @Override
        public void onBatchStart(long stint, long sequence) {}

        @Override
        public void onBatchApplied(long stint, long sequence) {}

        @Override
        public void onIncarnationBegun(String node, UUID nonce, long stint) {}

        @Override
        public void onIncarnationRejected(String node, UUID nonce, String reason) {}

        @Override
        public void onSessionEnded(long session) {}

        @Override
        public void onIncarnationEnded(long stint) {}

        @Override
        public void onStateReplaced() {}
    }
}
