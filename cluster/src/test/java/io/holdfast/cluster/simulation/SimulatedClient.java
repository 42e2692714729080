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

/** A client of one node, which sends one request after another and records the results. */
final class SimulatedClient implements EffectMailbox {
    static final Key TWO_PHASE = Key.of("two-phase");
    private static final Key SLOTS = Key.of("slots");
    private static final int SLOT_COUNT = 2;
    private static final List<Key> LOCKS = List.of(Key.of("one"), Key.of("two"));
    private static final Key COUNTER = Key.of("counter");
    private static final Key LIST = Key.of("list");
    private static final Key VALUE = Key.of("value");
    private static final long MAX_LEASE = 3 * SECOND;

    /** Longer than all other leases, so that a takeover never shortens the owner's lease. */
    private static final long TAKEOVER_LEASE = 4 * SECOND;

    /** The maximum delay of a result beyond the timeout, for a request that is not queued. */
    private static final long SLACK = SECOND / 2;

    /** A request in flight. */
    private static final class PendingRequest {
        final Command.Keyed command;
        final long atNanos;
        final long waitNanos;
        final Consumer<Effect> then;
        boolean isQueued;

        PendingRequest(Command.Keyed command, long atNanos, long waitNanos, Consumer<Effect> then) {
            this.command = command;
            this.atNanos = atNanos;
            this.waitNanos = waitNanos;
            this.then = then;
        }
    }

    final int number;
    final SimulatedNode node;

    /** The id of the session; 0 before it is opened. */
    long session;

    private final SimulatedCluster simulatedCluster;
    private final SimulatedTime time;
    private final boolean reads;
    private final Deque<Effect> inbox = new ArrayDeque<>();
    private final List<HoldInterval> intervals = new ArrayList<>();
    private final List<Long> sessions = new ArrayList<>();
    private final long pace;
    private @Nullable Session open;
    private @Nullable PendingRequest pending;
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
        this.pace = time.randomDuration(5 * MILLI, 400 * MILLI);
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
        PendingRequest request = pending;
        return "client %d of %s, request in flight: %s%s"
                .formatted(
                        number,
                        node.name,
                        request == null ? "nothing" : request.command,
                        request != null && request.isQueued ? " (queued)" : "");
    }

    // ---- disconnecting

    private void disconnected() {
        if (!isGone()) {
            goneNanos = time.now();
            intervals.forEach(holdInterval -> holdInterval.end(goneNanos));
            simulatedCluster.arriveSoon();
        }
    }

    void nodeCrashed() {
        disconnected();
    }

    /** The connection hangs with its process, which cannot disconnect clients. */
    void nodePaused() {
        intervals.forEach(holdInterval -> holdInterval.end(time.now()));
    }

    /** Disconnects by itself. */
    private void leave() {
        left = true;
        disconnected();
        closeSoon();
    }

    boolean hasLeft() {
        return left;
    }

    private void closeSoon() {
        Session mine = open;
        if (mine != null) {
            node.later(time.randomDuration(0, 5 * MILLI), () -> mine.close(lastAnswered));
        }
    }

    @Override
    public boolean kick() {
        if (!isGone()) {
            CommittedGrantChecker.check(
                    !simulatedCluster.isGentle(),
                    "client " + number + " was disconnected without a reason");
            disconnected();
            closeSoon();
        }
        return true;
    }

    /** Sends no more requests. */
    void finish() {
        finishing = true;
        if (!isGone() && pending == null) {
            leave();
        }
    }

    // ---- requests

    private void thinkSoon() {
        time.after(
                time.randomDuration(0, 2 * pace),
                () -> {
                    if (isGone() || pending != null) {
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

    private void send(LongFunction<Command.Keyed> command, long waitNanos, Consumer<Effect> then) {
        PendingRequest request =
                new PendingRequest(command.apply(++lastRequest), time.now(), waitNanos, then);
        pending = request;
        node.later(
                time.randomDuration(0, MILLI),
                () -> {
                    Session mine = open;
                    if (mine != null && !isGone() && mine.submit(request.command)) {
                        receive();
                    }
                });
        if (time.chance(0.03)) { // and disconnects without waiting for the result
            time.after(
                    time.randomDuration(0, 2 * SECOND),
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

    /** Draws a lease; only semaphores get an unlimited one, which a takeover would shorten. */
    private long drawLease(Key key) {
        return key.equals(SLOTS) && time.chance(0.3)
                ? Command.FOREVER
                : time.randomDuration(SECOND / 5, MAX_LEASE);
    }

    private void acquire() {
        Key key = time.chance(0.2) ? SLOTS : LOCKS.get(time.pick(0, LOCKS.size() - 1));
        long wait = time.chance(0.25) ? 0 : time.randomDuration(MILLI, 4 * SECOND);
        if (!key.equals(SLOTS)
                && time.chance(0.1)) { // for the semaphore its own leases may be unlimited
            wait = Command.FOREVER;
        }
        long waitNanos = wait;
        long lease = drawLease(key);
        long salt = time.number();
        long now = time.now();
        send(
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

    private void has(Effect.Granted granted, long requestedNanos, long leaseNanos) {
        HoldInterval holdInterval =
                new HoldInterval(
                        granted.key(),
                        granted.token(),
                        this,
                        null,
                        requestedNanos,
                        time.now(),
                        SimulationHistory.endOf(requestedNanos, leaseNanos));
        intervals.add(holdInterval);
        simulatedCluster.history.add(holdInterval);
    }

    private void withOne(Consumer<HoldInterval> action) {
        if (intervals.isEmpty()) {
            acquire();
        } else {
            action.accept(intervals.get(time.pick(0, intervals.size() - 1)));
        }
    }

    private void release(HoldInterval holdInterval) {
        long guaranteedUntilNanos = holdInterval.toNanos;
        holdInterval.end(time.now());
        intervals.remove(holdInterval);
        send(
                request ->
                        new Command.Release(
                                session,
                                request,
                                kindOf(holdInterval.key),
                                holdInterval.key,
                                holdInterval.token),
                0,
                effect -> checkHeld(holdInterval, effect, guaranteedUntilNanos));
    }

    private void renew(HoldInterval holdInterval) {
        long guaranteedUntilNanos = holdInterval.toNanos;
        long lease = drawLease(holdInterval.key);
        long endNanos = SimulationHistory.endOf(time.now(), lease);
        holdInterval.end(endNanos);
        send(
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
                    checkHeld(holdInterval, effect, guaranteedUntilNanos);
                    if (effect instanceof Effect.Renewed) {
                        holdInterval.toNanos = endNanos;
                    } else {
                        holdInterval.end(time.now());
                        intervals.remove(holdInterval);
                    }
                });
    }

    /** Checks that a hold did not end before its guaranteed time. */
    private void checkHeld(HoldInterval holdInterval, Effect effect, long guaranteedUntilNanos) {
        CommittedGrantChecker.check(
                holdInterval.previousOwner != null
                        || time.now() >= guaranteedUntilNanos
                        || !(effect instanceof Effect.Refused(_, _, Refusal reason)
                                && reason == Refusal.NOT_HELD),
                "a lease ended before its time: " + holdInterval);
    }

    /** Renews a hold of another client, which may have disconnected. */
    private void takeOver() {
        List<HoldInterval> all = simulatedCluster.history.intervals();
        for (int i = all.size() - 1; i >= Math.max(0, all.size() - 6); i--) {
            HoldInterval other = all.get(i);
            if (other.client != this
                    && !other.key.equals(SLOTS)
                    && other.previousOwner == null
                    && !other.client.hasLeft()
                    && !other.takeoverTried) {
                other.takeoverTried = true;
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
        send(
                request ->
                        new Command.Renew(
                                session, request, kindOf(key), key, token, TAKEOVER_LEASE),
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
                                        SimulationHistory.endOf(now, TAKEOVER_LEASE));
                        intervals.add(mine);
                        simulatedCluster.history.add(mine);
                    }
                });
    }

    private void enqueue() {
        long lease = time.randomDuration(SECOND / 2, MAX_LEASE);
        long salt = time.number();
        long now = time.now();
        send(
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
        long wait = time.randomDuration(MILLI, 4 * SECOND);
        long since = enqueuedNanos;
        send(
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
        send(request -> new Command.Data(session, request, key, operation), 0, then);
    }

    private static void done(Change change, Effect effect, SimulatedTime time) {
        if (!(effect instanceof Effect.Refused)) {
            change.done(time.now());
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

    static String text(ByteString bytes) {
        return new String(bytes.bytes(), StandardCharsets.UTF_8);
    }

    // ---- results

    @Override
    public void add(Effect effect) {
        inbox.add(effect);
    }

    @Override
    public void onPending(long request) {
        PendingRequest waiting = pending;
        if (waiting != null && waiting.command.request() == request) {
            waiting.isQueued = true;
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
            PendingRequest request = pending;
            CommittedGrantChecker.check(
                    request != null && request.command.request() == next.request(),
                    "a result without a request: " + next);
            if (request != null) {
                pending = null;
                lastAnswered = next.request();
                checkTime(request, next);
                request.then.accept(next);
                thinkSoon();
            }
        }
    }

    /** The lease that a request would be granted; grants of old leases are not delivered. */
    private long leaseNanos(Command.Keyed command) {
        return switch (command) {
            case Command.Acquire acquire -> acquire.leaseNanos();
            case Command.Enqueue enqueue -> enqueue.leaseNanos();
            case Command.Renew renew -> renew.leaseNanos();
            case Command.Await _ -> awaitedLease;
            default -> Command.FOREVER;
        };
    }

    private void checkTime(PendingRequest request, Effect effect) {
        long took = time.now() - request.atNanos;
        boolean unavailable =
                effect instanceof Effect.Refused(_, _, Refusal reason)
                        && reason == Refusal.UNAVAILABLE;
        long timeoutNanos =
                request.waitNanos > 0 ? request.waitNanos : SimulatedCluster.REQUEST_TIMEOUT;
        if (unavailable) {
            boolean tooOld =
                    took >= SimulationHistory.minTrueNanos(leaseNanos(request.command) / 4);
            CommittedGrantChecker.check(
                    tooOld
                            || took >= SimulationHistory.minTrueNanos(timeoutNanos)
                            || !node.driver().isServing(),
                    "unavailable after %,d: %s".formatted(took, request.command));
            simulatedCluster.checker().onTimeout(session, request.command.request());
            CommittedGrantChecker.check(
                    tooOld || !request.isQueued, "unavailable while queued: " + request.command);
        } else {
            CommittedGrantChecker.check(
                    simulatedCluster.checker().hasProduced(effect),
                    "the replica has not produced " + effect);
        }
        if (effect instanceof Effect.TimedOut && request.waitNanos > 0) {
            CommittedGrantChecker.check(
                    took >= SimulationHistory.minTrueNanos(request.waitNanos),
                    "timed out after %,d: %s".formatted(took, request.command));
        }
        if (!request.isQueued && timeoutNanos != Command.FOREVER) {
            long late =
                    took
                            - (long) (timeoutNanos / (1 - SimulatedCluster.DRIFT))
                            - node.pausedSince(request.atNanos);
            CommittedGrantChecker.check(
                    late < SLACK, "result %,d too late: %s".formatted(late, request.command));
        }
    }
}
