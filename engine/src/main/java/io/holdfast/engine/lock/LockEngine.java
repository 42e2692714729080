package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.codec.SnapshotInput;
import io.holdfast.engine.codec.SnapshotOutput;
import io.holdfast.engine.hash.StateHash;
import io.holdfast.engine.time.Deadlines;

import org.jspecify.annotations.Nullable;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The state machine of locks and data. Equal commands at equal times with equal {@link Quotas} give
 * equal effects and equal state, on every replica and on every replay. Not thread-safe: the caller
 * serializes the calls.
 *
 * <p>The cost of a command does not depend on the number of keys, waiters, sessions and deadlines.
 * Two rare steps visit all keys: {@link #configure} and the end of a quarantine.
 */
public final class LockEngine {
    private final EngineState state;
    private final EngineViews views;
    private final KeyEventRecorder events;
    private final IdleKeys idleKeys;
    private final RequestLifecycle lifecycle;
    private final TryAcquireCommands tryAcquireCommands;
    private final OfferCommands offerCommands;
    private final SessionEnd sessionEnd;

    /** An engine without a hash of its state. */
    public LockEngine(EngineSettings engineSettings) {
        this(engineSettings, new StateHash(false));
    }

    /**
     * @param stateHash of the new engine alone, which keeps it; see {@link #hash}
     */
    public LockEngine(EngineSettings engineSettings, StateHash stateHash) {
        this(new EngineState(engineSettings, stateHash));
    }

    private LockEngine(EngineState state) {
        this.state = state;
        this.views = new EngineViews(state);
        this.events = new KeyEventRecorder(state);
        this.idleKeys = new IdleKeys(state);
        this.lifecycle = new RequestLifecycle(state, events, idleKeys);
        this.tryAcquireCommands = new TryAcquireCommands(state, lifecycle);
        this.offerCommands = new OfferCommands(state, lifecycle, events);
        this.sessionEnd = new SessionEnd(state, lifecycle, idleKeys);
    }

    /**
     * Changes the settings. Visits all keys if the idle time or the retention of values changes.
     */
    public void configure(EngineSettings next) {
        boolean same = state.settings.idleNanos() == next.idleNanos();
        state.settings = next;
        state.data.configure(next);
        if (!same) {
            idleKeys.reschedule();
        }
        state.hash.settle();
    }

    /**
     * Until a time, grants and offers nothing but shared locks: acquires are queued, and those that
     * do not wait fail as if the key were held. For an engine that starts without the state of its
     * predecessor. A later call replaces the time. The quarantine is not part of the state that
     * {@link #write} writes, but its deadline counts among those of the state.
     */
    public void quarantine(long untilNanos) {
        if (state.restartQuarantine != null) {
            state.deadlines.remove(state.restartQuarantine);
        }
        state.restartQuarantine = new RestartQuarantine();
        state.deadlines.schedule(state.restartQuarantine, untilNanos);
    }

    /** Returns the end of the quarantine; {@link Long#MIN_VALUE} if there is none. */
    public long quarantineEndNanos() {
        return state.restartQuarantine == null ? Long.MIN_VALUE : state.restartQuarantine.time();
    }

    /** Writes the quarantine, so that {@link #readQuarantine} gives it the same deadline. */
    public void writeQuarantine(DataOutput out) throws IOException {
        RestartQuarantine current = state.restartQuarantine;
        new SnapshotOutput(out).deadline(current == null ? new RestartQuarantine() : current);
    }

    /** Reads the quarantine into an engine that has been read before. */
    public void readQuarantine(DataInput in) throws IOException {
        RestartQuarantine read = new RestartQuarantine();
        new SnapshotInput(in).deadline(read, state.deadlines);
        state.restartQuarantine = read.isScheduled() ? read : null;
    }

    /**
     * Writes the whole state, so that {@link #read} creates an engine that behaves exactly like
     * this one. Makes many small writes: {@code out} should be buffered.
     */
    public void write(DataOutput out) throws IOException {
        new StateWriter(state, out).write();
    }

    /**
     * Creates an engine from what {@link #write} wrote, and reads no further.
     *
     * @param engineSettings the settings of the engine that wrote; to change them, {@link
     *     #configure} the new engine afterwards
     */
    public static LockEngine read(DataInput in, EngineSettings engineSettings) throws IOException {
        return read(in, engineSettings, new StateHash(false));
    }

    /**
     * As {@link #read(DataInput, EngineSettings)}, with a hash of the state.
     *
     * @param stateHash of the new engine alone, which keeps it
     */
    public static LockEngine read(DataInput in, EngineSettings engineSettings, StateHash stateHash)
            throws IOException {
        EngineState state = new EngineState(engineSettings, stateHash);
        new StateReader(state, in).read();
        if (stateHash.isOn()) {
            state.eachRecord(stateHash::add);
            stateHash.settle();
        }
        return new LockEngine(state);
    }

    /**
     * Returns the hash of the state, for an engine that was made with one that is on, in a time
     * that does not depend on the size of the state. It covers what {@link #write} writes: keys
     * with their rules, holds, waiters, sessions, counters, values, lists, the deadlines of all of
     * them with their order, the order of queues, of lists and of what belongs to a session, and
     * the time. Not covered are the settings, the order in which keys and entries were created, and
     * of a session that ends in slices the keys in the middle of those that are to be served: a
     * difference in these becomes one of the others when it has consequences.
     */
    public long hash() {
        return state.hash(state.hash.value());
    }

    /** Reserves the whole state with new quotas, which must not refuse a reservation. */
    public void reserveAll(Quotas quotas) {
        state.reserveAll(quotas);
    }

    /** From now on, adds the events of keys to a list, in order. No result depends on it. */
    public void recordEvents(List<KeyEvent> to) {
        events.recordTo(to);
    }

    /**
     * Applies a command at a time, which must not decrease, and adds its effects to {@code
     * effects}, in order.
     */
    public void apply(Command command, long now, Quotas quotas, List<Effect> effects) {
        apply(command, now, now, quotas, effects);
    }

    /**
     * Applies a command like {@link #apply(Command, long, Quotas, List)}, but expires only what was
     * due at {@code dueNanos}. What has become due since then stays until a later command: a lease
     * can still be renewed, and what is held is not granted to another session.
     */
    public void apply(
            Command command, long now, long dueNanos, Quotas quotas, List<Effect> effects) {
        state.nowNanos = Math.max(state.nowNanos, now);
        // First, so that no rule below meets a holder whose lease is over.
        expireDue(dueNanos < now ? dueNanos : state.nowNanos, quotas, effects);
        switch (command) {
            case Command.AcquireRequest acquire -> acquire(acquire, quotas, effects);
            case Command.Await await -> await(await, quotas, effects);
            case Command.Release release -> release(release, quotas, effects);
            case Command.Renew renew -> renew(renew, effects);
            case Command.ForceRelease forceRelease -> forceRelease(forceRelease, quotas, effects);
            case Command.Cancel cancel -> cancel(cancel, quotas, effects);
            case Command.TryAcquire tryAcquire ->
                    tryAcquireCommands.tryAcquire(tryAcquire, quotas, effects);
            case Command.ReleaseBySession releaseBySession ->
                    tryAcquireCommands.releaseBySession(releaseBySession, quotas, effects);
            case Command.Inspect inspect -> tryAcquireCommands.inspect(inspect, effects);
            case Command.ReadWrite readWrite -> offerCommands.apply(readWrite, quotas, effects);
            case Command.Data operation ->
                    effects.add(state.data.apply(operation, state.nowNanos, quotas));
            case Command.CloseSession close -> sessionEnd.close(close, quotas, effects);
            case Command.Tick() -> {}
            case Command.Collect(int max) -> idleKeys.collect(max, quotas);
        }
        state.hash.settle();
    }

    /**
     * When the next {@link Command.Tick} has to be applied at the latest; {@link Long#MAX_VALUE} if
     * never.
     */
    public long nextDeadlineNanos() {
        return Math.min(state.deadlines.next(), state.data.nextDeadlineNanos());
    }

    /** Whether a {@link Command.Collect} at this time may drop anything. */
    public boolean hasCollectable(long now) {
        return idleKeys.hasCollectable(now);
    }

    /** Whether the engine has state of a session. */
    public boolean hasSession(long session) {
        return state.sessions.containsKey(session);
    }

    /** Read access to the state; always the same object. */
    public EngineViews views() {
        return views;
    }

    /** For the tests, which compare states. */
    EngineState state() {
        return state;
    }

    private void acquire(Command.AcquireRequest c, Quotas quotas, List<Effect> effects) {
        ReadWriteMode mode = c.attributes().mode();
        Resource existing = state.find(c.kind(), c.key());
        SessionState known = state.sessions.get(c.session());
        boolean enqueue = c instanceof Command.Enqueue;
        if (enqueue && existing != null && known != null && known.enqueued(existing) != null) {
            effects.add(Refusal.ALREADY_ENQUEUED.to(c));
            return;
        }
        Quotas.Client client = known == null ? quotas.client(c.session()) : known.client(quotas);
        Resource resource = reserve(c, existing, client, quotas, effects);
        if (resource == null) {
            return;
        }
        SessionState session = known == null ? state.session(c.session(), client) : known;
        if (isFree(resource, mode)) {
            resource.prepare(mode, state.settings);
            Hold hold =
                    Hold.of(
                            resource,
                            session,
                            c.request(),
                            quotas.nextFence(),
                            c.salt(),
                            c.leaseNanos(),
                            c.attributes());
            lifecycle.grant(hold, state.nowNanos);
            if (enqueue) {
                session.recordEnqueue(resource, hold);
            }
            effects.add(hold.granted());
        } else if (state.isQueueFull(resource)) {
            effects.add(Refusal.TOO_MANY_WAITERS.to(c));
        } else if (c instanceof Command.Acquire acquire && acquire.waitNanos() == 0) {
            effects.add(new Effect.TimedOut(c.session(), c.request()));
            events.timedOut(acquire, resource);
        } else if (!quotas.reserveWait(client)) {
            effects.add(Refusal.TOO_MANY_WAITERS.to(c));
        } else {
            resource.prepare(mode, state.settings);
            queue(c, resource, session, effects);
        }
        idleKeys.mark(resource, quotas);
    }

    private void queue(
            Command.AcquireRequest c,
            Resource resource,
            SessionState session,
            List<Effect> effects) {
        boolean enqueue = c instanceof Command.Enqueue;
        Waiter waiter =
                Waiter.of(
                        resource,
                        session,
                        enqueue ? Waiter.NO_REQUEST : c.request(),
                        c.salt(),
                        c.leaseNanos(),
                        enqueue,
                        c.attributes());
        lifecycle.queue(waiter);
        events.record(KeyEvent.Type.WAITING, waiter);
        switch (c) {
            case Command.Acquire acquire ->
                    state.deadlines.schedule(waiter, state.after(acquire.waitNanos()));
            case Command.Enqueue _ -> {
                session.recordEnqueue(resource, waiter);
                effects.add(new Effect.Queued(c.session(), c.request()));
            }
        }
    }

    /**
     * Reserves a key, unless it is retained already, and a hold, if the slot is free. Returns the
     * resource, created if there is none; null if the request was refused.
     */
    private @Nullable Resource reserve(
            Command.AcquireRequest c,
            @Nullable Resource existing,
            Quotas.@Nullable Client client,
            Quotas quotas,
            List<Effect> effects) {
        if (existing != null && existing.limit() != c.limit()) {
            effects.add(Refusal.LIMIT_MISMATCH.to(c));
            return null;
        }
        boolean free =
                existing == null
                        ? !state.isQuarantined(c.kind())
                        : isFree(existing, c.attributes().mode());
        if (free && !quotas.reserveHold(client)) {
            effects.add(Refusal.TOO_MANY_KEYS.to(c));
            return null;
        }
        Resource resource = existing;
        if (resource == null || !resource.retained) {
            if (!quotas.reserveKey(c.key(), client)) {
                if (free) {
                    quotas.returnHold(client);
                }
                effects.add(Refusal.TOO_MANY_KEYS.to(c));
                return null;
            }
            if (resource == null) {
                resource = state.add(c.kind(), c.key(), c.limit());
            } else {
                quotas.returnTransientKey(c.key(), resource.creator);
            }
            resource.creator = client;
            resource.retained = true;
        }
        state.touch(resource);
        return resource;
    }

    private boolean isFree(Resource resource, ReadWriteMode readWriteMode) {
        return resource.admits(readWriteMode) && !state.isQuarantined(resource.kind());
    }

    private void await(Command.Await c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.find(c.kind(), c.key());
        SessionState session = state.sessions.get(c.session());
        HoldOrWaiter holdOrWaiter =
                resource == null || session == null ? null : session.enqueued(resource);
        if (resource == null || session == null || holdOrWaiter == null) {
            effects.add(Refusal.NOT_ENQUEUED.to(c));
            return;
        }
        state.touch(resource);
        switch (holdOrWaiter) {
            case Hold hold -> {
                session.endEnqueue(resource, hold);
                hold.request = c.request();
                if (hold.tokenSentBy == 0) {
                    hold.tokenSentBy = c.request();
                }
                state.deadlines.schedule(hold, state.after(hold.leaseNanos));
                effects.add(hold.granted());
            }
            case Waiter waiter -> {
                if (waiter.isAwaited()) { // the earlier await ends too
                    effects.add(new Effect.Cancelled(c.session(), waiter.request));
                }
                waiter.request = c.request();
                if (c.waitNanos() == 0) {
                    lifecycle.timeOut(waiter, quotas, effects);
                } else {
                    state.deadlines.schedule(waiter, state.after(c.waitNanos()));
                }
            }
        }
    }

    private void release(Command.Release c, Quotas quotas, List<Effect> effects) {
        Hold hold = state.find(c.kind(), c.key(), c.token());
        if (hold == null) {
            effects.add(Refusal.NOT_HELD.to(c));
            return;
        }
        effects.add(new Effect.Released(c.session(), c.request()));
        boolean revoked = hold.isTracked() && hold.session.id != c.session();
        if (revoked) {
            effects.add(new Effect.Revoked(hold.session.id, hold.request));
        }
        lifecycle.end(hold, revoked ? KeyEvent.Type.LOST : KeyEvent.Type.RELEASED, quotas, effects);
    }

    private void forceRelease(Command.ForceRelease c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.find(c.kind(), c.key());
        List<Hold> released = new ArrayList<>();
        if (resource != null) {
            for (Hold hold : resource.holds()) {
                if (c.fence() == 0 || c.fence() == hold.fence) {
                    released.add(hold);
                }
            }
        }
        if (released.isEmpty()) {
            effects.add(Refusal.NOT_HELD.to(c));
            return;
        }
        List<Effect.ForceReleased.Loss> lost =
                released.stream()
                        .map(hold -> new Effect.ForceReleased.Loss(hold.session.id, hold.fence))
                        .toList();
        effects.add(new Effect.ForceReleased(c.session(), c.request(), lost, quotas.nextFence()));
        for (Hold hold : released) {
            if (hold.isTracked()) {
                effects.add(new Effect.Revoked(hold.session.id, hold.request));
            }
            lifecycle.end(hold, KeyEvent.Type.LOST, quotas, effects);
        }
    }

    private void renew(Command.Renew c, List<Effect> effects) {
        Hold hold = state.find(c.kind(), c.key(), c.token());
        if (hold == null) {
            effects.add(Refusal.NOT_HELD.to(c));
            return;
        }
        state.touch(hold.resource);
        state.deadlines.schedule(hold, state.after(c.leaseNanos()));
        hold.successor = successor(hold, c);
        effects.add(new Effect.Renewed(c.session(), c.request(), c.leaseNanos()));
    }

    /**
     * Null if the session renews its own hold, or if the hold does not end with a session that
     * exists.
     */
    private @Nullable Successor successor(Hold hold, Command.Renew c) {
        if (hold.session.id == c.session()
                || !hold.attributes().bound()
                || state.sessions.get(hold.session.id) != hold.session) {
            return null;
        }
        // Creates the session if there is none, so that its end can look it up.
        SessionState session = state.session(c.session());
        return new Successor(session.id, c.request(), state.nowNanos);
    }

    private void cancel(Command.Cancel c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.find(c.kind(), c.key());
        SessionState session = state.sessions.get(c.session());
        if (resource == null || session == null) {
            return;
        }
        for (Waiter waiter = session.lastWait; waiter != null; waiter = waiter.before) {
            if (waiter.request == c.request() && waiter.resource == resource) {
                lifecycle.leave(waiter, KeyEvent.Type.GAVE_UP, quotas);
                effects.add(new Effect.Cancelled(c.session(), c.request()));
                lifecycle.serveOrRetire(resource, quotas, effects);
                return;
            }
        }
        for (Hold hold = session.lastHold; hold != null; hold = hold.before) {
            if (hold.request == c.request() && hold.resource == resource) {
                effects.add(new Effect.Cancelled(c.session(), c.request()));
                lifecycle.end(hold, hold.ownEnd(), quotas, effects);
                return;
            }
        }
    }

    private void expireDue(long until, Quotas quotas, List<Effect> effects) {
        Deadlines<LockDeadline> deadlines = state.deadlines;
        for (LockDeadline due = deadlines.pollDue(until);
                due != null;
                due = deadlines.pollDue(until)) {
            switch (due) {
                case Hold hold -> expire(hold, quotas, effects);
                case Waiter waiter -> lifecycle.timeOut(waiter, quotas, effects);
                case RestartQuarantine _ -> endQuarantine(quotas, effects);
            }
        }
        state.data.expireDue(until, state.nowNanos, quotas);
    }

    private void expire(Hold hold, Quotas quotas, List<Effect> effects) {
        if (hold.isOffer()) {
            effects.add(new Effect.OfferExpired(hold.session.id, hold.request));
            lifecycle.end(hold, KeyEvent.Type.GAVE_UP, quotas, effects);
            return;
        }
        if (hold.isTracked()) {
            effects.add(new Effect.Expired(hold.session.id, hold.request));
        }
        lifecycle.end(hold, KeyEvent.Type.EXPIRED, quotas, effects);
    }

    private void endQuarantine(Quotas quotas, List<Effect> effects) {
        state.restartQuarantine = null;
        for (Resource resource : state.all) {
            lifecycle.serve(resource, quotas, effects);
        }
    }
}
