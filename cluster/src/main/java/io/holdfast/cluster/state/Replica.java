package io.holdfast.cluster.state;

import io.holdfast.cluster.entry.Entry;
import io.holdfast.cluster.entry.EntryEncoding;
import io.holdfast.cluster.entry.Item;
import io.holdfast.cluster.entry.Rules;
import io.holdfast.cluster.signal.SignalState;
import io.holdfast.driver.Caps;
import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.MemoryBudgets;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Event;
import io.holdfast.engine.LockEngine;
import io.holdfast.engine.Possessions;
import io.holdfast.engine.Settings;

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
    private record Ending(long session, long lastAnswered, long heirsSinceNanos) {}

    /**
     * Who is behind a session.
     *
     * @param concurrent whether it does several things at once
     */
    public record Person(String protocol, String name, boolean concurrent) {
        static final Person UNKNOWN = new Person("", "", false);
    }

    private final Outlet outlet;
    private final MemoryBudgets memory;
    private final LongFunction<@Nullable ClientUsage> clients;
    private final SignalState signals = new SignalState();
    private final List<Effect> effects = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();

    private @Nullable UUID cluster;
    private Rules rules;
    private LockEngine engine;
    private StateLedger ledger;
    private long term = -1;
    private long stampNanos;
    private long timeNanos;
    private long lastStint;

    /** Not part of the state: how many entries were applied here. */
    private long entries;

    private final NavigableMap<Long, Stint> stints = new TreeMap<>();

    /** What each node has on its disk, by the name of the node. */
    private final Map<String, UUID> dataIds = new TreeMap<>();

    /** Every session that may have something in the state. */
    private final NavigableMap<Long, Person> sessions = new TreeMap<>();

    private final Deque<Ending> ending = new ArrayDeque<>();

    /**
     * @param rules until the log says others
     */
    public Replica(Rules rules, MemoryBudgets memory, Outlet outlet) {
        this(rules, memory, _ -> null, outlet);
    }

    /**
     * @param rules until the log says others
     * @param clients of sessions on this node
     */
    public Replica(
            Rules rules,
            MemoryBudgets memory,
            LongFunction<@Nullable ClientUsage> clients,
            Outlet outlet) {
        this.rules = rules;
        this.memory = memory;
        this.clients = clients;
        this.outlet = outlet;
        this.engine = new LockEngine(rules.settings());
        this.ledger = new StateLedger(memory, rules.caps(), clients);
        engine.report(events);
        signals.limit(rules.maxSubscriptions());
    }

    /** Applies the next entry. */
    public void apply(long entryTerm, long entryStampNanos, Entry entry) {
        entries++;
        move(entryTerm, entryStampNanos);
        endTheSilent();
        apply(entry);
        tell(TICK);
        endSome();
    }

    private void apply(Entry entry) {
        switch (entry) {
            case Entry.Parcel(List<Entry> entries) -> entries.forEach(this::apply);
            case Entry.Found(UUID id, long fence) -> {
                if (cluster == null) {
                    cluster = id;
                    ledger.raiseFence(fence);
                }
            }
            case Entry.Govern(Rules next) -> {
                rules = next;
                engine.configure(next.settings());
                ledger.cap(next.caps());
                signals.limit(next.maxSubscriptions());
            }
            case Entry.Join join -> join(join);
            case Entry.Batch batch -> apply(batch);
            case Entry.Leave(long number) -> {
                Stint stint = stints.get(number);
                if (stint != null) {
                    end(stint, Command.FOREVER);
                }
            }
            case Entry.Tick() -> {}
            case Entry.Collect(int most) -> tell(new Command.Collect(most));
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

    private void join(Entry.Join join) {
        UUID known = dataIds.putIfAbsent(join.node(), join.dataId());
        if (known != null && !known.equals(join.dataId())) {
            outlet.turnedAway(
                    join.node(),
                    join.nonce(),
                    "the cluster knows "
                            + join.node()
                            + " with another data directory: a node that lost its data must come"
                            + " back under a new name");
            return;
        }
        for (Stint stint : stints.values()) {
            if (stint.nonce.equals(join.nonce())) {
                outlet.joined(join.node(), join.nonce(), stint.number);
                return;
            }
        }
        endEmpty(join.node());
        Stint stint = new Stint(++lastStint, join.node(), join.nonce(), timeNanos);
        stints.put(stint.number, stint);
        outlet.joined(join.node(), join.nonce(), stint.number);
    }

    /** A late entry may even begin a stint that nobody serves, so the node is told. */
    private void endEmpty(String node) {
        for (Stint old : List.copyOf(stints.values())) {
            if (old.node.equals(node) && !hasSessions(old)) {
                end(old, Command.FOREVER);
            }
        }
    }

    private void apply(Entry.Batch batch) {
        Stint stint = stints.get(batch.stint());
        if (stint == null || batch.sequence() != stint.lastSequence + 1) {
            return;
        }
        stint.lastSequence = batch.sequence();
        stint.heardNanos = timeNanos;
        outlet.batchBegins(stint.number, batch.sequence());
        List<Item> items = batch.items();
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            if (SessionIds.stint(item.session()) == stint.number) {
                apply(item);
            }
        }
        outlet.batchApplied(stint.number, batch.sequence());
    }

    private void apply(Item item) {
        switch (item) {
            case Item.Ask(Command.Keyed command) -> {
                if (command instanceof Command.Locking) { // data belongs to no session
                    sessions.putIfAbsent(command.session(), Person.UNKNOWN);
                }
                engine.apply(command, timeNanos, ledger, effects);
                outlet.applied(item, tell(command.session(), command.request()));
            }
            case Item.Introduce(long session, String protocol, String name, boolean concurrent) -> {
                sessions.put(session, new Person(protocol, name, concurrent));
                outlet.applied(item, null);
            }
            case Item.End(long session, long lastAnswered) -> {
                outlet.applied(item, null);
                Ending end = new Ending(session, lastAnswered, Command.FOREVER);
                if (end(end, END_SLICE) < 0) {
                    ending.addLast(end);
                }
            }
            case Item.Listen listen -> {
                sessions.putIfAbsent(listen.session(), Person.UNKNOWN);
                answer(item, signals.listen(listen));
            }
            case Item.Unlisten unlisten -> answer(item, signals.unlisten(unlisten));
            case Item.Emit emit -> answer(item, signals.emit(emit));
        }
    }

    private void answer(Item item, Effect answer) {
        outlet.effect(answer);
        outlet.applied(item, answer);
    }

    // ---- ends

    private boolean hasSessions(Stint stint) {
        return !sessionsOf(stint).isEmpty();
    }

    private NavigableMap<Long, Person> sessionsOf(Stint stint) {
        return sessions.subMap(
                SessionIds.first(stint.number), true, SessionIds.first(stint.number + 1), false);
    }

    /** A node that has nothing to lose may be silent. */
    private void endTheSilent() {
        List<Stint> silent = List.of();
        for (Stint stint : stints.values()) {
            if (silentAt(stint) <= timeNanos && hasSessions(stint)) {
                silent = new ArrayList<>(silent);
                silent.add(stint);
            }
        }
        for (Stint stint : silent) {
            end(stint, stint.heardNanos);
        }
    }

    /** Nothing ends where no other node could be given what comes free. */
    private long silentAt(Stint stint) {
        if (isLastOfTheOnlyNode(stint)) {
            return Long.MAX_VALUE;
        }
        long at = stint.heardNanos + rules.sessionNanos();
        return at < stint.heardNanos ? Long.MAX_VALUE : at;
    }

    private boolean isLastOfTheOnlyNode(Stint stint) {
        if (stint.number != lastStint) {
            return false;
        }
        for (Stint other : stints.values()) {
            if (!other.node.equals(stint.node)) {
                return false;
            }
        }
        return true;
    }

    private void end(Stint stint, long heirsSinceNanos) {
        for (long session : sessionsOf(stint).keySet()) {
            ending.addLast(new Ending(session, Long.MAX_VALUE, heirsSinceNanos));
        }
        stints.remove(stint.number);
        outlet.stintEnded(stint.number);
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
        Possessions had = engine.views().possessions(end.session());
        tell(
                new Command.CloseSession(
                        end.session(), end.lastAnswered(), most, end.heirsSinceNanos()));
        if (engine.hasSession(end.session())) {
            return -1;
        }
        outlet.ended(end.session());
        sessions.remove(end.session());
        return 1 + had.holds() + had.waits();
    }

    // ---- what is told

    private void tell(Command command) {
        engine.apply(command, timeNanos, ledger, effects);
        Effect _ = tell(0, 0);
    }

    /** Passes effects on; the one that answers a request. */
    private @Nullable Effect tell(long session, long request) {
        Effect answer = null;
        for (int i = 0; i < effects.size(); i++) {
            Effect effect = effects.get(i);
            if (answer == null && effect.session() == session && effect.request() == request) {
                answer = effect;
            }
            outlet.effect(effect);
        }
        effects.clear();
        return answer;
    }

    /** What happened to keys since this was last cleared; whoever wants to know clears it. */
    public List<Event> events() {
        return events;
    }

    // ---- what can be asked

    public LockEngine engine() {
        return engine;
    }

    /** May be kept: it stays the same object. */
    public SignalState signals() {
        return signals;
    }

    public Rules rules() {
        return rules;
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
        for (Stint stint : stints.values()) {
            if (silentAt(stint) < next && hasSessions(stint)) {
                next = silentAt(stint);
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
        byte[] governing = EntryEncoding.encode(new Entry.Govern(rules));
        out.writeInt(governing.length);
        out.write(governing);
        out.writeLong(term);
        out.writeLong(stampNanos);
        out.writeLong(timeNanos);
        out.writeLong(lastStint);
        ledger.write(out);
        out.writeInt(stints.size());
        for (Stint stint : stints.values()) {
            out.writeLong(stint.number);
            out.writeUTF(stint.node);
            write(stint.nonce, out);
            out.writeLong(stint.lastSequence);
            out.writeLong(stint.heardNanos);
        }
        out.writeInt(dataIds.size());
        for (Map.Entry<String, UUID> entry : dataIds.entrySet()) {
            out.writeUTF(entry.getKey());
            write(entry.getValue(), out);
        }
        out.writeInt(sessions.size());
        for (Map.Entry<Long, Person> entry : sessions.entrySet()) {
            out.writeLong(entry.getKey());
            out.writeUTF(entry.getValue().protocol());
            out.writeUTF(entry.getValue().name());
            out.writeBoolean(entry.getValue().concurrent());
        }
        out.writeInt(ending.size());
        for (Ending end : ending) {
            out.writeLong(end.session());
            out.writeLong(end.lastAnswered());
            out.writeLong(end.heirsSinceNanos());
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
        if (!(EntryEncoding.decode(governing) instanceof Entry.Govern(Rules read))) {
            throw new IOException("the rules are missing");
        }
        rules = read;
        term = in.readLong();
        stampNanos = in.readLong();
        timeNanos = in.readLong();
        lastStint = in.readLong();
        ledger.giveAllBack(engine);
        ledger = new StateLedger(memory, rules.caps(), clients);
        ledger.read(in);
        stints.clear();
        for (int left = in.readInt(); left > 0; left--) {
            long number = in.readLong();
            Stint stint = new Stint(number, in.readUTF(), readId(in), 0);
            stint.lastSequence = in.readLong();
            stint.heardNanos = in.readLong();
            stints.put(number, stint);
        }
        dataIds.clear();
        for (int left = in.readInt(); left > 0; left--) {
            dataIds.put(in.readUTF(), readId(in));
        }
        sessions.clear();
        for (int left = in.readInt(); left > 0; left--) {
            sessions.put(
                    in.readLong(),
                    new Person(in.readUTF(), in.readUTF(), version > 1 && in.readBoolean()));
        }
        ending.clear();
        for (int left = in.readInt(); left > 0; left--) {
            ending.addLast(new Ending(in.readLong(), in.readLong(), in.readLong()));
        }
        signals.limit(rules.maxSubscriptions());
        signals.read(in);
        engine = LockEngine.read(in, rules.settings());
        ledger.chargeFor(engine);
        events.clear();
        engine.report(events);
        outlet.replaced();
    }

    /**
     * Writes what a new cluster begins with that is made from a copy of another: it has an id and
     * nodes of its own, and the clocks of the old leaders mean nothing to it.
     *
     * @param copy what {@link SnapshotFile} has of the other
     */
    public static void restore(Path copy, DataOutput out) throws IOException {
        Rules until = new Rules(new Settings(0, 0, true), Caps.NONE, Long.MAX_VALUE, 0);
        Replica replica = new Replica(until, MemoryBudgets.UNLIMITED, new Deaf());
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
    public @Nullable Person person(long session) {
        return sessions.get(session);
    }

    /** The node that a session is connected to; null if that serves no longer. */
    public @Nullable String nodeOf(long session) {
        Stint stint = stints.get(SessionIds.stint(session));
        return stint == null ? null : stint.node;
    }

    /** The names that were ever given to a node. */
    public Map<String, UUID> dataIds() {
        return dataIds;
    }

    /** For a copy that serves nobody. */
    private static final class Deaf implements Outlet {
        @Override
        public void effect(Effect effect) {}

        @Override
        public void applied(Item item, @Nullable Effect answer) {}

        @Override
        public void batchBegins(long stint, long sequence) {}

        @Override
        public void batchApplied(long stint, long sequence) {}

        @Override
        public void joined(String node, UUID nonce, long stint) {}

        @Override
        public void turnedAway(String node, UUID nonce, String reason) {}

        @Override
        public void ended(long session) {}

        @Override
        public void stintEnded(long stint) {}

        @Override
        public void replaced() {}
    }
}
