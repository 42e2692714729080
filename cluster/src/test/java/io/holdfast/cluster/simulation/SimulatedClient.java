package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;
import static io.holdfast.cluster.simulation.SimulatedTime.SECOND;

import io.holdfast.cluster.simulation.SimulationHistory.Change;
import io.holdfast.cluster.simulation.SimulationHistory.HoldInterval;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** A client of one node, which asks one thing after another and remembers what it was told. */
final class SimulatedClient implements EffectMailbox {
    static final Key TWO_PHASE = Key.of("two-phase");
    private static final Key SLOTS = Key.of("slots");
    private static final int SLOT_COUNT = 2;
    private static final List<Key> MUTEXES = List.of(Key.of("one"), Key.of("two"));
    private static final Key COUNTER = Key.of("counter");
    private static final Key LIST = Key.of("list");
    private static final Key VALUE = Key.of("value");
    private static final long LONGEST_LEASE = 3 * SECOND;

    /** Longer than any other, so that it never makes an owner's lease shorter. */
    private static final long HEIRS_LEASE = 4 * SECOND;

    /** How late the answer to something that waits in no line may be. */
    private static final long SLACK = SECOND / 2;

    /** What was asked and not yet answered. */
    private static final class Asked {
        final Command.Keyed command;
        final long atNanos;
        final long waitNanos;
        final Consumer<Effect> then;
        boolean inLine;

        Asked(Command.Keyed command, long atNanos, long waitNanos, Consumer<Effect> then) {
            this.command = command;
            this.atNanos = atNanos;
            this.waitNanos = waitNanos;
            this.then = then;
        }
    }

    final int number;
    final SimulatedNode node;

    /** 0 until it has one. */
    long session;

    private final SimulatedCluster simulatedCluster;
    private final SimulatedTime time;
    private final boolean reads;
    private final Deque<Effect> inbox = new ArrayDeque<>();
    private final List<HoldInterval> possessions = new ArrayList<>();
    private final List<Long> sessions = new ArrayList<>();
    private final long pace;
    private @Nullable Session open;
    private @Nullable Asked asked;
    private Command.@Nullable Enqueue enqueued;
    private long awaitedLease;
    private long enqueuedNanos;
    private long lastRequest;
    private long lastAnswered;
    private long goneNanos = Long.MAX_VALUE;
    private boolean left;
    private boolean finishing;
    private int readings;

    SimulatedClient(
            int number, SimulatedCluster simulatedCluster, SimulatedNode node, boolean reads) {
        this.number = number;
        this.simulatedCluster = simulatedCluster;
        this.time = simulatedCluster.time;
        this.node = node;
        this.reads = reads;
        this.pace = time.span(5 * MILLI, 400 * MILLI);
    }

    static int limit(Key key) {
        return key.equals(SLOTS) ? SLOT_COUNT : 1;
    }

    void begin() {
        Session opened =
                node.driver().open(this, new ClientInfo("simulation", () -> "client " + number));
        open = opened;
        session = opened.id();
        sessions.add(session);
        thinkSoon();
    }

    List<Long> sessions() {
        return sessions;
    }

    long goneNanos() {
        return goneNanos;
    }

    boolean isGone() {
        return goneNanos != Long.MAX_VALUE;
    }

    boolean hasRead() {
        return readings == 3;
    }

    @Override
    public String toString() {
        Asked request = asked;
        return "client %d of %s, which has asked for %s%s"
                .formatted(
                        number,
                        node.name,
                        request == null ? "nothing" : request.command,
                        request != null && request.inLine ? " and is in line" : "");
    }

    // ---- how it ends

    private void gone() {
        if (!isGone()) {
            goneNanos = time.now();
            possessions.forEach(holdInterval -> holdInterval.end(goneNanos));
            simulatedCluster.arriveSoon();
        }
    }

    void nodeCrashed() {
        gone();
    }

    /** Its connection hangs with the process behind it, which can send nobody away. */
    void nodeStandsStill() {
        possessions.forEach(holdInterval -> holdInterval.end(time.now()));
    }

    /** Leaves by itself. */
    private void leave() {
        left = true;
        gone();
        closeSoon();
    }

    boolean hasLeft() {
        return left;
    }

    private void closeSoon() {
        Session mine = open;
        if (mine != null) {
            node.later(time.span(0, 5 * MILLI), () -> mine.close(lastAnswered));
        }
    }

    @Override
    public boolean kick() {
        if (!isGone()) {
            CommittedGrantChecker.check(
                    !simulatedCluster.isGentle(),
                    "client " + number + " was sent away for nothing");
            gone();
            closeSoon();
        }
        return true;
    }

    /** Asks nothing more. */
    void finish() {
        finishing = true;
        if (!isGone() && asked == null) {
            leave();
        }
    }

    // ---- what it asks

    private void thinkSoon() {
        time.after(
                time.span(0, 2 * pace),
                () -> {
                    if (isGone() || asked != null) {
                        return;
                    }
                    if (finishing) {
                        leave();
                    } else if (reads) {
                        read();
                    } else {
                        act();
                    }
                });
    }

    private void act() {
        Command.Enqueue begun = enqueued;
        if (begun != null) {
            await(begun);
            return;
        }
        switch (time.pick(0, 19)) {
            case 0, 1, 2, 3, 4, 5 -> acquire();
            case 6, 7, 8 -> withOne(this::release);
            case 9, 10 -> withOne(this::renew);
            case 11, 12, 13 -> takeOver();
            case 14 -> enqueue();
            case 15 -> increment();
            case 16 -> push();
            case 17, 18 -> set();
            default -> {
                if (time.chance(0.3)) {
                    leave();
                } else {
                    thinkSoon();
                }
            }
        }
    }

    private void ask(LongFunction<Command.Keyed> command, long waitNanos, Consumer<Effect> then) {
        Asked request = new Asked(command.apply(++lastRequest), time.now(), waitNanos, then);
        asked = request;
        node.later(
                time.span(0, MILLI),
                () -> {
                    Session mine = open;
                    if (mine != null && !isGone() && mine.submit(request.command)) {
                        receive();
                    }
                });
        if (time.chance(0.03)) { // and does not wait for the answer
            time.after(
                    time.span(0, 2 * SECOND),
                    () -> {
                        if (!isGone()) {
                            leave();
                        }
                    });
        }
    }

    private static ResourceKind kindOf(Key key) {
        return key.equals(SLOTS) ? ResourceKind.SEMAPHORE : ResourceKind.LOCK;
    }

    /** One without end would be shortened by an heir. */
    private long drawLease(Key key) {
        return key.equals(SLOTS) && time.chance(0.3)
                ? Command.FOREVER
                : time.span(SECOND / 5, LONGEST_LEASE);
    }

    private void acquire() {
        Key key = time.chance(0.2) ? SLOTS : MUTEXES.get(time.pick(0, MUTEXES.size() - 1));
        long wait = time.chance(0.25) ? 0 : time.span(MILLI, 4 * SECOND);
        if (!key.equals(SLOTS) && time.chance(0.1)) { // its own leases there may have no end
            wait = Command.FOREVER;
        }
        long waitNanos = wait;
        long lease = drawLease(key);
        long salt = time.number();
        long now = time.now();
        ask(
                request ->
                        new Command.Acquire(
                                session,
                                request,
                                kindOf(key),
                                key,
                                limit(key),
                                waitNanos,
                                lease,
                                salt),
                waitNanos,
                effect -> {
                    if (effect instanceof Effect.Granted granted) {
                        has(granted, now, lease);
                    }
                });
    }

    private void has(Effect.Granted granted, long askedNanos, long leaseNanos) {
        HoldInterval holdInterval =
                new HoldInterval(
                        granted.key(),
                        granted.token(),
                        this,
                        null,
                        askedNanos,
                        time.now(),
                        SimulationHistory.endOf(askedNanos, leaseNanos));
        possessions.add(holdInterval);
        simulatedCluster.history.add(holdInterval);
    }

    private void withOne(Consumer<HoldInterval> action) {
        if (possessions.isEmpty()) {
            acquire();
        } else {
            action.accept(possessions.get(time.pick(0, possessions.size() - 1)));
        }
    }

    private void release(HoldInterval holdInterval) {
        long sureNanos = holdInterval.toNanos;
        holdInterval.end(time.now());
        possessions.remove(holdInterval);
        ask(
                request ->
                        new Command.Release(
                                session,
                                request,
                                kindOf(holdInterval.key),
                                holdInterval.key,
                                holdInterval.token),
                0,
                effect -> checkHeld(holdInterval, effect, sureNanos));
    }

    private void renew(HoldInterval holdInterval) {
        long sureNanos = holdInterval.toNanos;
        long lease = drawLease(holdInterval.key);
        long endNanos = SimulationHistory.endOf(time.now(), lease);
        holdInterval.end(endNanos);
        ask(
                request ->
                        new Command.Renew(
                                session,
                                request,
                                kindOf(holdInterval.key),
                                holdInterval.key,
                                holdInterval.token,
                                lease),
                0,
                effect -> {
                    checkHeld(holdInterval, effect, sureNanos);
                    if (effect instanceof Effect.Renewed) {
                        holdInterval.toNanos = endNanos;
                    } else {
                        holdInterval.end(time.now());
                        possessions.remove(holdInterval);
                    }
                });
    }

    /** What it is sure to have it has. */
    private void checkHeld(HoldInterval holdInterval, Effect effect, long sureNanos) {
        CommittedGrantChecker.check(
                holdInterval.heirOf != null
                        || time.now() >= sureNanos
                        || !(effect instanceof Effect.Refused(_, _, Refusal reason)
                                && reason == Refusal.NOT_HELD),
                "a lease ended before its time: " + holdInterval);
    }

    /** Renews what another has, who may be gone. */
    private void takeOver() {
        List<HoldInterval> all = simulatedCluster.history.possessions();
        for (int i = all.size() - 1; i >= Math.max(0, all.size() - 6); i--) {
            HoldInterval other = all.get(i);
            if (other.client != this
                    && !other.key.equals(SLOTS)
                    && other.heirOf == null
                    && !other.client.hasLeft()
                    && !other.isWanted) {
                other.isWanted = true;
                takeOver(other);
                return;
            }
        }
        thinkSoon();
    }

    private void takeOver(HoldInterval other) {
        Key key = other.key;
        Token token = other.token;
        long now = time.now();
        boolean wasGone = other.client.isGone();
        ask(
                request ->
                        new Command.Renew(session, request, kindOf(key), key, token, HEIRS_LEASE),
                0,
                effect -> {
                    if (effect instanceof Effect.Renewed && wasGone && !other.client.hasLeft()) {
                        HoldInterval mine =
                                new HoldInterval(
                                        key,
                                        token,
                                        this,
                                        other.client,
                                        now,
                                        time.now(),
                                        SimulationHistory.endOf(now, HEIRS_LEASE));
                        possessions.add(mine);
                        simulatedCluster.history.add(mine);
                    }
                });
    }

    private void enqueue() {
        long lease = time.span(SECOND / 2, LONGEST_LEASE);
        long salt = time.number();
        long now = time.now();
        ask(
                request ->
                        new Command.Enqueue(
                                session, request, ResourceKind.LOCK, TWO_PHASE, 1, lease, salt),
                0,
                effect -> {
                    if (effect instanceof Effect.Granted granted) {
                        has(granted, now, lease);
                    } else if (effect instanceof Effect.Queued) {
                        enqueued =
                                new Command.Enqueue(
                                        session, 0, ResourceKind.LOCK, TWO_PHASE, 1, lease, salt);
                        enqueuedNanos = now;
                    }
                });
    }

    private void await(Command.Enqueue begun) {
        enqueued = null;
        awaitedLease = begun.leaseNanos();
        long wait = time.span(MILLI, 4 * SECOND);
        long since = enqueuedNanos;
        ask(
                request -> new Command.Await(session, request, ResourceKind.LOCK, TWO_PHASE, wait),
                wait,
                effect -> {
                    if (effect instanceof Effect.Granted granted) {
                        has(granted, since, begun.leaseNanos());
                    }
                });
    }

    // ---- data

    private void data(Key key, DataOperation operation, Consumer<Effect> then) {
        ask(request -> new Command.Data(session, request, key, operation), 0, then);
    }

    private static void done(Change change, Effect effect, SimulatedTime time) {
        if (!(effect instanceof Effect.Refused)) {
            change.doneNanos = time.now();
        }
    }

    private void increment() {
        Change change = new Change("", time.now());
        simulatedCluster.history.increments.add(change);
        data(
                COUNTER,
                new DataOperation.Increment(1),
                effect -> {
                    done(change, effect, time);
                    if (effect instanceof Effect.Counted counted) {
                        simulatedCluster.history.counted(counted.value());
                    }
                });
    }

    private void push() {
        Change change = new Change(number + "/" + lastRequest, time.now());
        simulatedCluster.history.pushes.add(change);
        data(
                LIST,
                new DataOperation.Push(DataOperation.End.BACK, ByteString.of(change.what)),
                effect -> done(change, effect, time));
    }

    private void set() {
        Change change = new Change(number + "/" + lastRequest, time.now());
        simulatedCluster.history.sets.put(change.what, change);
        data(
                VALUE,
                new DataOperation.SetValue(ByteString.of(change.what), Command.FOREVER),
                effect -> done(change, effect, time));
    }

    private void read() {
        switch (readings) {
            case 0 ->
                    data(
                            COUNTER,
                            new DataOperation.GetCounter(),
                            effect -> {
                                if (effect instanceof Effect.Counted counted) {
                                    simulatedCluster.history.checkCounter(counted.value());
                                    readings++;
                                }
                            });
            case 1 ->
                    data(
                            LIST,
                            new DataOperation.Range(0, -1),
                            effect -> {
                                if (effect instanceof Effect.Items items) {
                                    simulatedCluster.history.checkList(
                                            items.items().stream()
                                                    .map(SimulatedClient::text)
                                                    .toList());
                                    readings++;
                                }
                            });
            case 2 ->
                    data(
                            VALUE,
                            new DataOperation.GetValue(),
                            effect -> {
                                if (effect instanceof Effect.Found found) {
                                    simulatedCluster.history.checkValue(text(found.value()));
                                    readings++;
                                } else if (effect instanceof Effect.Absent) {
                                    simulatedCluster.history.checkValue(null);
                                    readings++;
                                }
                            });
            default -> leave();
        }
    }

    private static String text(ByteString bytes) {
        return new String(bytes.bytes(), StandardCharsets.UTF_8);
    }

    // ---- what it is told

    @Override
    public void add(Effect effect) {
        inbox.add(effect);
    }

    @Override
    public void onPending(long request) {
        Asked waiting = asked;
        if (waiting != null && waiting.command.request() == request) {
            waiting.inLine = true;
        }
    }

    @Override
    public void wake() {
        receive();
    }

    private void receive() {
        for (Effect next = inbox.poll(); next != null; next = inbox.poll()) {
            if (isGone()) {
                continue;
            }
            Asked request = asked;
            CommittedGrantChecker.check(
                    request != null && request.command.request() == next.request(),
                    "an answer to nothing: " + next);
            if (request != null) {
                asked = null;
                lastAnswered = next.request();
                checkTime(request, next);
                request.then.accept(next);
                thinkSoon();
            }
        }
    }

    /** What would be granted by a command that is answered; nobody is told of an old lease. */
    private long leaseNanos(Command.Keyed command) {
        return switch (command) {
            case Command.Acquire acquire -> acquire.leaseNanos();
            case Command.Enqueue enqueue -> enqueue.leaseNanos();
            case Command.Renew renew -> renew.leaseNanos();
            case Command.Await _ -> awaitedLease;
            default -> Command.FOREVER;
        };
    }

    private void checkTime(Asked request, Effect answer) {
        long took = time.now() - request.atNanos;
        boolean unavailable =
                answer instanceof Effect.Refused(_, _, Refusal reason)
                        && reason == Refusal.UNAVAILABLE;
        long patience = request.waitNanos > 0 ? request.waitNanos : SimulatedCluster.PATIENCE;
        if (unavailable) {
            boolean tooOld = took >= SimulationHistory.leastTrue(leaseNanos(request.command) / 4);
            CommittedGrantChecker.check(
                    tooOld
                            || took >= SimulationHistory.leastTrue(patience)
                            || !node.driver().isServing(),
                    "given up after %,d: %s".formatted(took, request.command));
            simulatedCluster.witness.gaveUp(session, request.command.request());
            CommittedGrantChecker.check(
                    tooOld || !request.inLine, "given up in line: " + request.command);
        } else {
            CommittedGrantChecker.check(
                    simulatedCluster.witness.hasTold(answer), "the state has not said " + answer);
        }
        if (answer instanceof Effect.TimedOut && request.waitNanos > 0) {
            CommittedGrantChecker.check(
                    took >= SimulationHistory.leastTrue(request.waitNanos),
                    "timed out after %,d: %s".formatted(took, request.command));
        }
        if (!request.inLine && patience != Command.FOREVER) {
            long late =
                    took
                            - (long) (patience / (1 - SimulatedCluster.DRIFT))
                            - node.pausedSince(request.atNanos);
            CommittedGrantChecker.check(
                    late < SLACK, "answered %,d too late: %s".formatted(late, request.command));
        }
    }
}
