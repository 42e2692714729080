package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The state machine of locks and data. Equal commands at equal times with equal {@link Quotas} give
 * equal effects and equal state, on every replica and on every replay. Not thread-safe: the caller
 * serializes the calls.
 *
 * <p>The cost of a command does not depend on the number of keys, waiters, sessions and deadlines.
 * Two rare steps visit all keys: {@link #configure} and the end of a quarantine.
 */
public final class LockEngine {
    private EngineSettings engineSettings;
    private final EngineState state;
    private final EngineViews views;
    private final Map<Key, Resource> locks;
    private final Map<Long, SessionState> sessions;
    private final Deadlines deadlines;
    private final Deadlines idleEnds;
    private final DataStore data;

    /** While it lasts, nothing but shared locks is granted; null if there is none. */
    private @Nullable RestartQuarantine restartQuarantine;

    /** Collects the events of keys; null if they are not recorded. */
    private @Nullable List<KeyEvent> events;

    public LockEngine(EngineSettings engineSettings) {
        this(engineSettings, new EngineState(engineSettings));
    }

    private LockEngine(EngineSettings engineSettings, EngineState state) {
        this.engineSettings = engineSettings;
        this.state = state;
        this.views = new EngineViews(state);
        this.locks = state.locks;
        this.sessions = state.sessions;
        this.deadlines = state.deadlines;
        this.idleEnds = state.idleEnds;
        this.data = state.data;
    }

    /**
     * Changes the settings. Visits all keys if the idle time or the retention of values changes.
     */
    public void configure(EngineSettings next) {
        boolean same = engineSettings.idleNanos() == next.idleNanos();
        engineSettings = next;
        data.configure(next);
        if (same) {
            return;
        }
        for (Resource resource : state.all) {
            idleEnds.remove(resource);
            if (resource.isUnused() && !resource.suspended && resource.retained) {
                idleEnds.schedule(resource, engineSettings.idleEnd(resource.lastActivityNanos));
            }
        }
    }

    /**
     * Until a time, grants and offers nothing but shared locks: acquires are queued, and those that
     * do not wait fail as if the key were held. For an engine that starts without the state of its
     * predecessor. A later call replaces the time. The quarantine is not part of the state that
     * {@link #write} writes.
     */
    public void quarantine(long untilNanos) {
        if (restartQuarantine != null) {
            deadlines.remove(restartQuarantine);
        }
        restartQuarantine = new RestartQuarantine();
        deadlines.schedule(restartQuarantine, untilNanos);
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
        EngineState state = new EngineState(engineSettings);
        new StateReader(state, in).read();
        return new LockEngine(engineSettings, state);
    }

    /** Reserves the whole state with new quotas, which must not refuse a reservation. */
    public void reserveAll(Quotas quotas) {
        for (Resource resource : state.all) {
            boolean _ =
                    resource.retained
                            ? quotas.reserveKey(resource.key, resource.creator)
                            : quotas.reserveTransientKey(resource.key, resource.creator);
            for (Hold hold : resource.holds()) {
                boolean _ = quotas.reserveHold(hold.session.client(quotas));
            }
            resource.eachWait(waiter -> quotas.reserveWait(waiter.session.client(quotas)));
        }
        data.reserveAll(quotas);
    }

    /** From now on, adds the events of keys to a list, in order. No result depends on it. */
    public void recordEvents(List<KeyEvent> to) {
        events = to;
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
            case Command.Acquire acquire -> acquire(acquire, quotas, effects);
            case Command.Enqueue enqueue -> enqueue(enqueue, quotas, effects);
            case Command.Await await -> await(await, quotas, effects);
            case Command.Release release -> release(release, quotas, effects);
            case Command.Renew renew -> renew(renew, effects);
            case Command.TryAcquire tryAcquire -> tryAcquire(tryAcquire, quotas, effects);
            case Command.ReleaseBySession releaseBySession ->
                    releaseBySession(releaseBySession, quotas, effects);
            case Command.Inspect inspect -> inspect(inspect, effects);
            case Command.ForceRelease forceRelease -> forceRelease(forceRelease, quotas, effects);
            case Command.Cancel cancel -> cancel(cancel, quotas, effects);
            case Command.RequestOffer requestOffer -> requestOffer(requestOffer, quotas, effects);
            case Command.OnTrackedRequest onTrackedRequest ->
                    applyToTrackedRequest(onTrackedRequest, quotas, effects);
            case Command.Suspend suspend -> suspend(suspend, quotas, effects);
            case Command.Resume resume -> resume(resume, quotas, effects);
            case Command.Reassert reassert -> reassert(reassert, quotas, effects);
            case Command.Data operation ->
                    effects.add(data.apply(operation, state.nowNanos, quotas));
            case Command.CloseSession close -> close(close, quotas, effects);
            case Command.Tick() -> {}
            case Command.Collect(int max) -> collect(max, quotas);
        }
    }

    /**
     * When the next {@link Command.Tick} has to be applied at the latest; {@link Long#MAX_VALUE} if
     * never.
     */
    public long nextDeadlineNanos() {
        return Math.min(deadlines.next(), data.nextDeadlineNanos());
    }

    /** Whether a {@link Command.Collect} at this time may drop anything. */
    public boolean hasCollectable(long now) {
        long before = collectBefore(Math.max(state.nowNanos, now));
        return idleEnds.next() <= before || data.hasCollectable(before);
    }

    /** Whether the engine has state of a session. */
    public boolean hasSession(long session) {
        return sessions.containsKey(session);
    }

    /** Read access to the state; always the same object. */
    public EngineViews views() {
        return views;
    }

    /** For the tests, which compare states. */
    EngineState state() {
        return state;
    }

    private void acquire(Command.Acquire c, Quotas quotas, List<Effect> effects) {
        SessionState known = sessions.get(c.session());
        Quotas.Client client = client(known, c, quotas);
        Resource resource = admit(c, c.limit(), c.terms().mode(), client, quotas, effects);
        if (resource == null) {
            return;
        }
        SessionState sessionState = known == null ? state.session(c.session(), client) : known;
        if (isFree(resource, c.terms().mode()) && !isQuarantined(c.kind())) {
            ensureReadWriteState(resource, c.terms());
            Hold hold =
                    grant(
                            resource,
                            sessionState,
                            c.request(),
                            c.salt(),
                            c.leaseNanos(),
                            c.terms(),
                            state.nowNanos,
                            quotas);
            effects.add(granted(hold, c.request()));
        } else if (isQueueFull(resource)) {
            refuse(c, Refusal.TOO_MANY_WAITERS, effects);
        } else if (c.waitNanos() == 0) {
            effects.add(new Effect.TimedOut(c.session(), c.request()));
            recordEvent(KeyEvent.Type.TIMED_OUT, resource, sessionState, c.terms().mode(), 0, 0, 0);
        } else if (!quotas.reserveWait(client)) {
            refuse(c, Refusal.TOO_MANY_WAITERS, effects);
        } else {
            Waiter waiter =
                    Waiter.of(
                            resource,
                            sessionState,
                            c.request(),
                            c.salt(),
                            c.leaseNanos(),
                            false,
                            c.terms());
            ensureReadWriteState(resource, c.terms());
            appendToQueue(waiter);
            recordEvent(KeyEvent.Type.WAITING, waiter);
            deadlines.schedule(waiter, after(c.waitNanos()));
        }
        markIdle(resource, quotas);
    }

    private void ensureReadWriteState(Resource resource, HoldAttributes holdAttributes) {
        if (holdAttributes.mode() == ReadWriteMode.READ
                && resource instanceof ReadWriteLock readWriteLock) {
            readWriteLock.ensureReadWriteState(engineSettings.policy(readWriteLock.key));
        }
    }

    private void enqueue(Command.Enqueue c, Quotas quotas, List<Effect> effects) {
        Resource known = state.space(c.kind()).get(c.key());
        if (known != null && state.session(c.session()).enqueued(known) != null) {
            refuse(c, Refusal.ALREADY_ENQUEUED, effects);
            return;
        }
        Quotas.Client client = client(sessions.get(c.session()), c, quotas);
        Resource resource = admit(c, c.limit(), c.mode(), client, quotas, effects);
        if (resource == null) {
            return;
        }
        SessionState sessionState = state.session(c.session(), client);
        HoldAttributes holdAttributes = HoldAttributes.of(c.mode());
        if (isFree(resource, c.mode()) && !isQuarantined(c.kind())) {
            ensureReadWriteState(resource, holdAttributes);
            Hold hold =
                    grant(
                            resource,
                            sessionState,
                            c.request(),
                            c.salt(),
                            c.leaseNanos(),
                            holdAttributes,
                            state.nowNanos,
                            quotas);
            sessionState.recordEnqueue(resource, hold);
            effects.add(granted(hold, c.request()));
        } else if (isQueueFull(resource) || !quotas.reserveWait(client)) {
            refuse(c, Refusal.TOO_MANY_WAITERS, effects);
        } else {
            Waiter waiter =
                    Waiter.of(
                            resource,
                            sessionState,
                            Waiter.NO_REQUEST,
                            c.salt(),
                            c.leaseNanos(),
                            true,
                            holdAttributes);
            ensureReadWriteState(resource, holdAttributes);
            appendToQueue(waiter);
            recordEvent(KeyEvent.Type.WAITING, waiter);
            sessionState.recordEnqueue(resource, waiter);
            effects.add(new Effect.Queued(c.session(), c.request()));
        }
        markIdle(resource, quotas);
    }

    private void await(Command.Await c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        SessionState sessionState = sessions.get(c.session());
        HoldOrWaiter holdOrWaiter =
                resource == null || sessionState == null ? null : sessionState.enqueued(resource);
        if (resource == null || sessionState == null || holdOrWaiter == null) {
            refuse(c, Refusal.NOT_ENQUEUED, effects);
            return;
        }
        resource.lastActivityNanos = state.nowNanos;
        switch (holdOrWaiter) {
            case Hold hold -> {
                sessionState.endEnqueue(resource, hold);
                hold.request = c.request();
                if (hold.tokenSentBy == 0) {
                    hold.tokenSentBy = c.request();
                }
                deadlines.schedule(hold, after(hold.leaseNanos));
                effects.add(granted(hold, c.request()));
            }
            case Waiter waiter -> {
                if (waiter.isAwaited()) { // the earlier await ends too
                    effects.add(new Effect.Cancelled(c.session(), waiter.request));
                }
                waiter.request = c.request();
                if (c.waitNanos() == 0) {
                    timeOut(waiter, quotas, effects);
                } else {
                    deadlines.schedule(waiter, after(c.waitNanos()));
                }
            }
        }
    }

    private void release(Command.Release c, Quotas quotas, List<Effect> effects) {
        Hold hold = find(c.kind(), c.key(), c.token());
        if (hold == null) {
            refuse(c, Refusal.NOT_HELD, effects);
            return;
        }
        effects.add(new Effect.Released(c.session(), c.request()));
        boolean revoked = hold.isTracked() && hold.session.id != c.session();
        if (revoked) {
            effects.add(new Effect.Revoked(hold.session.id, hold.request));
        }
        end(hold, revoked ? KeyEvent.Type.LOST : KeyEvent.Type.RELEASED, quotas, effects);
    }

    private void forceRelease(Command.ForceRelease c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        List<Hold> evicted = new ArrayList<>();
        if (resource != null) {
            for (Hold hold : resource.holds()) {
                if (c.fence() == 0 || c.fence() == hold.fence) {
                    evicted.add(hold);
                }
            }
        }
        if (evicted.isEmpty()) {
            refuse(c, Refusal.NOT_HELD, effects);
            return;
        }
        List<Effect.ForceReleased.Loss> lost =
                evicted.stream()
                        .map(hold -> new Effect.ForceReleased.Loss(hold.session.id, hold.fence))
                        .toList();
        effects.add(new Effect.ForceReleased(c.session(), c.request(), lost, quotas.nextFence()));
        for (Hold hold : evicted) {
            if (hold.isTracked()) {
                effects.add(new Effect.Revoked(hold.session.id, hold.request));
            }
            end(hold, KeyEvent.Type.LOST, quotas, effects);
        }
    }

    private void renew(Command.Renew c, List<Effect> effects) {
        Hold hold = find(c.kind(), c.key(), c.token());
        if (hold == null) {
            refuse(c, Refusal.NOT_HELD, effects);
            return;
        }
        hold.resource.lastActivityNanos = state.nowNanos;
        deadlines.schedule(hold, after(c.leaseNanos()));
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
                || sessions.get(hold.session.id) != hold.session) {
            return null;
        }
        // Creates the session if there is none, so that close() can look it up.
        SessionState sessionState = state.session(c.session());
        return new Successor(sessionState.id, c.request(), state.nowNanos);
    }

    private void tryAcquire(Command.TryAcquire c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        if (resource != null && resource.holdOf(c.session()) != null) {
            effects.add(
                    new Effect.TryAcquired(c.session(), c.request(), false, resource.holders()));
            return;
        }
        if (isQuarantined(c.kind()) || (resource != null && !isFree(resource))) {
            refuse(c, Refusal.BUSY, effects);
            return;
        }
        SessionState known = sessions.get(c.session());
        Quotas.Client client = client(known, c, quotas);
        if (!quotas.reserveHold(client)) {
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return;
        }
        if (resource == null) {
            if (!quotas.reserveTransientKey(c.key(), client)) {
                quotas.returnHold(client);
                refuse(c, Refusal.TOO_MANY_KEYS, effects);
                return;
            }
            resource = state.add(c.kind(), c.key(), 1);
            resource.creator = client;
        }
        resource.lastActivityNanos = state.nowNanos;
        SessionState sessionState = known == null ? state.session(c.session(), client) : known;
        Hold _ =
                grant(
                        resource,
                        sessionState,
                        c.request(),
                        c.salt(),
                        Command.FOREVER,
                        HoldAttributes.PLAIN,
                        state.nowNanos,
                        quotas);
        effects.add(new Effect.TryAcquired(c.session(), c.request(), true, resource.holders()));
    }

    /**
     * The client of the session that sends a command; the session may not exist in the engine yet.
     */
    private static Quotas.@Nullable Client client(
            @Nullable SessionState sessionState, Command.Keyed c, Quotas quotas) {
        return sessionState == null ? quotas.client(c.session()) : sessionState.client(quotas);
    }

    private void releaseBySession(Command.ReleaseBySession c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        Hold hold = resource == null ? null : resource.holdOf(c.session());
        if (hold == null) {
            refuse(c, Refusal.NOT_HELD, effects);
            return;
        }
        effects.add(new Effect.Released(c.session(), c.request()));
        end(hold, KeyEvent.Type.RELEASED, quotas, effects);
    }

    private void inspect(Command.Inspect c, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        boolean own = resource != null && resource.holdOf(c.session()) != null;
        int holders = resource == null ? 0 : resource.holders();
        effects.add(new Effect.Inspected(c.session(), c.request(), holders, own));
    }

    private void cancel(Command.Cancel c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        SessionState sessionState = sessions.get(c.session());
        if (resource == null || sessionState == null) {
            return;
        }
        for (Waiter waiter = sessionState.lastWait; waiter != null; waiter = waiter.before) {
            if (waiter.request == c.request() && waiter.resource == resource) {
                withdraw(waiter);
                recordEvent(KeyEvent.Type.GAVE_UP, waiter);
                quotas.returnWait(sessionState.client(quotas));
                effects.add(new Effect.Cancelled(c.session(), c.request()));
                serve(resource, quotas, effects);
                markIdle(resource, quotas);
                return;
            }
        }
        for (Hold hold = sessionState.lastHold; hold != null; hold = hold.before) {
            if (hold.request == c.request() && hold.resource == resource) {
                effects.add(new Effect.Cancelled(c.session(), c.request()));
                end(hold, ownEnd(hold), quotas, effects);
                return;
            }
        }
    }

    private void requestOffer(Command.RequestOffer c, Quotas quotas, List<Effect> effects) {
        Resource known = locks.get(c.key());
        Quotas.Client client = client(sessions.get(c.session()), c, quotas);
        if (!quotas.reserveWait(client)) {
            Refusal reason = known == null ? Refusal.TOO_MANY_KEYS : Refusal.TOO_MANY_WAITERS;
            refuse(c, reason, effects);
            return;
        }
        ReadWriteLock readWriteLock = getOrCreateLock(known, c.key(), client, quotas);
        if (readWriteLock == null) {
            quotas.returnWait(client);
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return;
        }
        boolean full = isQueueFull(readWriteLock);
        readWriteLock.ensureReadWriteState(engineSettings.policy(c.key()));
        OfferWaiter wait =
                new OfferWaiter(
                        readWriteLock,
                        state.session(c.session(), client),
                        c.request(),
                        c.salt(),
                        c.leaseNanos(),
                        c.mode(),
                        c.confirmNanos());
        appendToQueue(wait);
        boolean next = !isQuarantined(ResourceKind.LOCK) && readWriteLock.next() == wait;
        if (full && !next) {
            withdraw(wait);
            quotas.returnWait(client);
            refuse(c, Refusal.TOO_MANY_WAITERS, effects);
            return;
        }
        readWriteLock.lastActivityNanos = state.nowNanos;
        effects.add(new Effect.Queued(c.session(), c.request()));
        if (next) {
            serve(readWriteLock, quotas, effects);
        } else if (c.waitNanos() == 0) {
            timeOut(wait, quotas, effects);
        } else {
            recordEvent(KeyEvent.Type.WAITING, wait);
            deadlines.schedule(wait, after(c.waitNanos()));
        }
    }

    /**
     * The lock of a key, created as a transient key if there is none; null if a limit is reached.
     */
    private @Nullable ReadWriteLock getOrCreateLock(
            @Nullable Resource known, Key key, Quotas.@Nullable Client client, Quotas quotas) {
        if (known != null) {
            return (ReadWriteLock) known;
        }
        if (!quotas.reserveTransientKey(key, client)) {
            return null;
        }
        Resource created = state.add(ResourceKind.LOCK, key, 1);
        created.creator = client;
        return (ReadWriteLock) created;
    }

    private void applyToTrackedRequest(
            Command.OnTrackedRequest c, Quotas quotas, List<Effect> effects) {
        SessionState sessionState = sessions.get(c.session());
        HoldOrWaiter holdOrWaiter =
                sessionState == null ? null : sessionState.tracked(c.targetRequest());
        switch (holdOrWaiter) {
            case Waiter waiter when waiter.resource.key.equals(c.key()) -> {
                reportStatus(c, OfferRequestStatus.QUEUED, 0, effects);
                if (c instanceof Command.Decline || c instanceof Command.CancelOrRelease) {
                    withdraw(waiter);
                    recordEvent(KeyEvent.Type.GAVE_UP, waiter);
                    quotas.returnWait(waiter.session.client(quotas));
                    serve(waiter.resource, quotas, effects);
                    markIdle(waiter.resource, quotas);
                }
            }
            case OfferHold hold when hold.offered && hold.resource.key.equals(c.key()) -> {
                reportStatus(c, OfferRequestStatus.OFFERED, hold.fence, effects);
                if (c instanceof Command.CancelOrRelease || c instanceof Command.Decline) {
                    end(hold, KeyEvent.Type.GAVE_UP, quotas, effects);
                } else if (c instanceof Command.Confirm) {
                    confirm(hold, quotas, effects);
                }
            }
            case Hold hold when hold.resource.key.equals(c.key()) -> {
                reportStatus(c, OfferRequestStatus.HELD, hold.fence, effects);
                if (c instanceof Command.CancelOrRelease) {
                    end(hold, KeyEvent.Type.RELEASED, quotas, effects);
                }
            }
            case null, default -> reportStatus(c, OfferRequestStatus.GONE, 0, effects);
        }
    }

    private static void reportStatus(
            Command.Keyed c,
            OfferRequestStatus offerRequestStatus,
            long fence,
            List<Effect> effects) {
        effects.add(new Effect.StatusReport(c.session(), c.request(), offerRequestStatus, fence));
    }

    private void confirm(OfferHold hold, Quotas quotas, List<Effect> effects) {
        ((ReadWriteLock) hold.resource).confirm(hold);
        hold.sinceNanos = state.nowNanos;
        recordEvent(KeyEvent.Type.ACQUIRED, hold, state.nowNanos - hold.requestedNanos, 0);
        deadlines.schedule(hold, after(hold.leaseNanos));
        hold.resource.lastActivityNanos = state.nowNanos;
        serve(hold.resource, quotas, effects);
    }

    private void suspend(Command.Suspend c, Quotas quotas, List<Effect> effects) {
        ReadWriteLock readWriteLock = getOrCreateLock(locks.get(c.key()), c.key(), null, quotas);
        if (readWriteLock == null) {
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return;
        }
        readWriteLock.suspended = true;
        readWriteLock.lastActivityNanos = state.nowNanos;
        effects.add(new Effect.Changed(c.session(), c.request()));
    }

    private void resume(Command.Resume c, Quotas quotas, List<Effect> effects) {
        effects.add(new Effect.Changed(c.session(), c.request()));
        if (locks.get(c.key()) instanceof ReadWriteLock readWriteLock && readWriteLock.suspended) {
            readWriteLock.suspended = false;
            readWriteLock.lastActivityNanos = state.nowNanos;
            readWriteLock.dropReadWriteState();
            serve(readWriteLock, quotas, effects);
            markIdle(readWriteLock, quotas);
        }
    }

    private void reassert(Command.Reassert c, Quotas quotas, List<Effect> effects) {
        if (!(locks.get(c.key()) instanceof ReadWriteLock readWriteLock)
                || !readWriteLock.admitsAgain(c.mode())) {
            refuse(c, Refusal.BUSY, effects);
            return;
        }
        Quotas.Client client = client(sessions.get(c.session()), c, quotas);
        if (!quotas.reserveHold(client)) {
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return;
        }
        readWriteLock.ensureReadWriteState(engineSettings.policy(c.key()));
        OfferHold hold =
                new OfferHold(
                        readWriteLock,
                        state.session(c.session(), client),
                        c.request(),
                        quotas.nextFence(),
                        c.salt(),
                        c.leaseNanos(),
                        c.mode(),
                        state.nowNanos,
                        false);
        recordGrant(hold, c.leaseNanos());
        recordEvent(KeyEvent.Type.ACQUIRED, hold, 0, 0);
        readWriteLock.lastActivityNanos = state.nowNanos;
        reportStatus(c, OfferRequestStatus.HELD, hold.fence, effects);
    }

    private void close(Command.CloseSession c, Quotas quotas, List<Effect> effects) {
        SessionState sessionState = sessions.get(c.session());
        if (sessionState == null) {
            return;
        }
        int left = c.maxEnded();
        for (; sessionState.firstWait != null && left > 0; left--) {
            Waiter waiter = sessionState.firstWait;
            withdraw(waiter);
            recordEvent(KeyEvent.Type.GAVE_UP, waiter);
            quotas.returnWait(sessionState.client(quotas));
            if (waiter.resource instanceof ReadWriteLock readWriteLock
                    && readWriteLock.isShared()) {
                // Served later: the next waiter may belong to this session too.
                sessionState.recordUnserved(readWriteLock);
            } else {
                serve(waiter.resource, quotas, effects);
            }
            markIdle(waiter.resource, quotas);
        }
        for (; sessionState.firstWait == null && left > 0; left--) {
            Resource resource = sessionState.pollUnserved();
            if (resource == null) {
                break;
            }
            serve(resource, quotas, effects);
        }
        int readWriteLocks = 0;
        int sharedLocks = 0;
        for (; sessionState.firstHold != null && left > 0; left--) {
            Hold hold = sessionState.firstHold;
            if (hold.successor != null && hold.successor.atNanos() >= c.successorsSinceNanos()) {
                SessionState next = sessions.get(hold.successor.session());
                if (next != null) {
                    quotas.passHold(sessionState.client(quotas), next.client(quotas));
                    transfer(hold, next, hold.successor.request());
                    continue;
                }
            }
            boolean undelivered = hold.tokenSentBy == 0 || hold.tokenSentBy > c.lastAnswered();
            boolean requested = hold instanceof OfferHold;
            boolean tryAcquired = hold.leaseNanos == Command.FOREVER && !requested;
            if (tryAcquired) {
                readWriteLocks += hold.resource.kind() == ResourceKind.LOCK ? 1 : 0;
                sharedLocks += hold.resource.kind() == ResourceKind.SHARED ? 1 : 0;
            }
            boolean released = engineSettings.autoRelease() && hold.attributes().bound();
            if (released || undelivered || tryAcquired || requested) {
                end(hold, ownEnd(hold), quotas, effects);
            } else {
                detach(hold);
            }
        }
        if (readWriteLocks + sharedLocks > 0) {
            effects.add(new Effect.Orphaned(c.session(), readWriteLocks, sharedLocks));
        }
        if (sessionState.isEmpty()) {
            sessions.remove(c.session());
        }
    }

    /** Removes a hold from its session, which it still refers to. */
    private static void detach(Hold hold) {
        SessionState sessionState = hold.session;
        sessionState.endEnqueue(hold.resource, hold);
        sessionState.untrack(hold.request);
        sessionState.remove(hold);
    }

    /** Passes a hold to another session. The slot, the fence and the lease stay as they are. */
    private static void transfer(Hold hold, SessionState next, long request) {
        detach(hold);
        hold.passTo(next, request);
        next.add(hold);
    }

    private void collect(int max, Quotas quotas) {
        long before = collectBefore(state.nowNanos);
        data.collect(before, max, quotas);
        for (int i = 0; i < max; i++) {
            if (!(idleEnds.pollDue(before) instanceof Resource resource)) {
                return;
            }
            if (!resource.isUnused() || resource.suspended) {
                continue; // scheduled again when it becomes idle
            }
            long end = engineSettings.idleEnd(resource.lastActivityNanos);
            if (end > before) {
                idleEnds.schedule(resource, end);
            } else {
                state.drop(resource);
                quotas.returnKey(resource.key, resource.creator);
            }
        }
    }

    /**
     * Keys whose idle time ends up to this time are collected: they must have been idle for longer
     * than the setting, except that 0 collects at once.
     */
    private long collectBefore(long now) {
        return engineSettings.idleNanos() == 0 ? now : now - 1;
    }

    private void expireDue(long until, Quotas quotas, List<Effect> effects) {
        for (Deadline due = deadlines.pollDue(until); due != null; due = deadlines.pollDue(until)) {
            switch (due) {
                case OfferHold hold when hold.offered -> {
                    effects.add(new Effect.OfferExpired(hold.session.id, hold.request));
                    end(hold, KeyEvent.Type.GAVE_UP, quotas, effects);
                }
                case Hold hold -> {
                    if (hold.isTracked()) {
                        effects.add(new Effect.Expired(hold.session.id, hold.request));
                    }
                    end(hold, KeyEvent.Type.EXPIRED, quotas, effects);
                }
                case Waiter waiter -> timeOut(waiter, quotas, effects);
                case RestartQuarantine _ -> endQuarantine(quotas, effects);
                case KeyedState keyedState ->
                        throw new IllegalStateException("not a lease or wait: " + keyedState);
            }
        }
        data.expireDue(until, state.nowNanos, quotas);
    }

    /**
     * The resource of a new request, created if there is none; null if the request was refused. If
     * the resource is free, the hold has been reserved.
     */
    private @Nullable Resource admit(
            Command.Locking c,
            long limit,
            ReadWriteMode readWriteMode,
            Quotas.@Nullable Client client,
            Quotas quotas,
            List<Effect> effects) {
        Map<Key, Resource> space = state.space(c.kind());
        Resource resource = space.get(c.key());
        if (resource != null && resource.limit() != limit) {
            refuse(c, Refusal.LIMIT_MISMATCH, effects);
            return null;
        }
        boolean free =
                !isQuarantined(c.kind()) && (resource == null || isFree(resource, readWriteMode));
        if (free && !quotas.reserveHold(client)) {
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return null;
        }
        if (resource == null || !resource.retained) {
            if (!quotas.reserveKey(c.key(), client)) {
                if (free) {
                    quotas.returnHold(client);
                }
                refuse(c, Refusal.TOO_MANY_KEYS, effects);
                return null;
            }
            if (resource == null) {
                resource = state.add(c.kind(), c.key(), limit);
            } else {
                quotas.returnTransientKey(c.key(), resource.creator);
            }
            resource.creator = client;
            resource.retained = true;
        }
        resource.lastActivityNanos = state.nowNanos;
        return resource;
    }

    /** A shared lock excludes no session, so it is exempt. */
    private boolean isQuarantined(ResourceKind resourceKind) {
        return restartQuarantine != null && resourceKind != ResourceKind.SHARED;
    }

    private void endQuarantine(Quotas quotas, List<Effect> effects) {
        restartQuarantine = null;
        for (Resource resource : state.all) {
            serve(resource, quotas, effects);
        }
    }

    private static boolean isFree(Resource resource) {
        return resource.waiters == 0 && resource.admits();
    }

    private static boolean isFree(Resource resource, ReadWriteMode readWriteMode) {
        return (readWriteMode == ReadWriteMode.READ
                        && resource instanceof ReadWriteLock readWriteLock)
                ? readWriteLock.admitsReader()
                : isFree(resource);
    }

    private boolean isQueueFull(Resource resource) {
        return engineSettings.maxWaiters() > 0 && resource.waiters >= engineSettings.maxWaiters();
    }

    private Hold grant(
            Resource resource,
            SessionState sessionState,
            long request,
            long salt,
            long leaseNanos,
            HoldAttributes holdAttributes,
            long requestedNanos,
            Quotas quotas) {
        long fence = quotas.nextFence();
        Hold hold =
                Hold.of(resource, sessionState, request, fence, salt, leaseNanos, holdAttributes);
        recordGrant(hold, leaseNanos);
        recordEvent(KeyEvent.Type.ACQUIRED, hold, state.nowNanos - requestedNanos, 0);
        return hold;
    }

    private void recordGrant(Hold hold, long spanNanos) {
        Resource resource = hold.resource;
        if (resource.holders() == 0) {
            resource.heldSince = hold.fence;
            resource.usage.keys++;
        }
        resource.usage.holds++;
        hold.sinceNanos = state.nowNanos;
        resource.add(hold);
        hold.session.add(hold);
        if (hold.isTracked()) {
            hold.session.track(hold.request, hold);
        }
        deadlines.schedule(hold, after(spanNanos));
    }

    private void offer(OfferWaiter wait, Quotas quotas, List<Effect> effects) {
        SessionState sessionState = wait.session;
        OfferHold hold =
                new OfferHold(
                        wait.resource,
                        sessionState,
                        wait.request,
                        quotas.nextFence(),
                        wait.salt,
                        wait.leaseNanos,
                        wait.mode(),
                        wait.sinceNanos,
                        true);
        recordGrant(hold, wait.confirmNanos);
        recordEvent(KeyEvent.Type.OFFERED, hold, state.nowNanos - wait.sinceNanos, 0);
        effects.add(
                new Effect.Offered(
                        sessionState.id, wait.request, hold.resource.key, hold.mode(), hold.fence));
    }

    /** Grants or offers to the next waiters, as long as the resource admits them. */
    private void serve(Resource resource, Quotas quotas, List<Effect> effects) {
        if (isQuarantined(resource.kind())) {
            return;
        }
        while (resource.waiters > 0) {
            Waiter waiter = resource.next();
            if (waiter == null) {
                return;
            }
            withdraw(waiter);
            quotas.grantWait(waiter.session.client(quotas));
            if (waiter instanceof OfferWaiter offerWaiter) {
                offer(offerWaiter, quotas, effects);
                continue;
            }
            SessionState sessionState = waiter.session;
            boolean awaited = waiter.isAwaited();
            Hold hold =
                    grant(
                            resource,
                            sessionState,
                            waiter.request,
                            waiter.salt,
                            waiter.leaseNanos,
                            waiter.attributes(),
                            waiter.sinceNanos,
                            quotas);
            if (awaited) {
                effects.add(granted(hold, waiter.request));
            } else {
                sessionState.recordEnqueue(resource, hold);
            }
        }
    }

    private void appendToQueue(Waiter waiter) {
        waiter.sinceNanos = state.nowNanos;
        waiter.resource.append(waiter);
        waiter.session.add(waiter);
        if (waiter.isTracked()) {
            waiter.session.track(waiter.request, waiter);
        }
    }

    /** Removes a waiter from the queue, its session and the deadlines. */
    private void withdraw(Waiter waiter) {
        waiter.resource.remove(waiter);
        waiter.session.remove(waiter);
        deadlines.remove(waiter);
        if (waiter.enqueued) {
            waiter.session.endEnqueue(waiter.resource, waiter);
        } else if (waiter.isTracked()) {
            waiter.session.untrack(waiter.request);
        }
        waiter.resource.lastActivityNanos = state.nowNanos;
    }

    private void timeOut(Waiter waiter, Quotas quotas, List<Effect> effects) {
        withdraw(waiter);
        recordEvent(KeyEvent.Type.TIMED_OUT, waiter);
        quotas.returnWait(waiter.session.client(quotas));
        effects.add(new Effect.TimedOut(waiter.session.id, waiter.request));
        serve(waiter.resource, quotas, effects);
        markIdle(waiter.resource, quotas);
    }

    /** The event when the session itself ends a hold or an offer. */
    private static KeyEvent.Type ownEnd(Hold hold) {
        return hold.isOffer() ? KeyEvent.Type.GAVE_UP : KeyEvent.Type.RELEASED;
    }

    /** Ends a hold and grants its slot to the next waiter. */
    private void end(Hold hold, KeyEvent.Type reason, Quotas quotas, List<Effect> effects) {
        Resource resource = hold.resource;
        long ends = hold.time;
        resource.remove(hold);
        resource.usage.holds--;
        if (resource.holders() == 0) {
            resource.usage.keys--;
            resource.heldSince = 0;
        }
        hold.session.remove(hold);
        hold.session.endEnqueue(resource, hold);
        if (hold.isTracked()) {
            hold.session.untrack(hold.request);
        }
        deadlines.remove(hold);
        quotas.returnHold(hold.session.client(quotas));
        resource.lastActivityNanos = state.nowNanos;
        long from =
                reason == KeyEvent.Type.GAVE_UP && hold instanceof OfferHold offer
                        ? offer.requestedNanos
                        : hold.sinceNanos;
        long span = state.nowNanos - from;
        recordEvent(
                reason, hold, span, reason == KeyEvent.Type.EXPIRED ? state.nowNanos - ends : 0);
        serve(resource, quotas, effects);
        markIdle(resource, quotas);
    }

    private void recordEvent(KeyEvent.Type type, Waiter waiter) {
        recordEvent(
                type,
                waiter.resource,
                waiter.session,
                waiter.mode(),
                0,
                state.nowNanos - waiter.sinceNanos,
                0);
    }

    private void recordEvent(KeyEvent.Type type, Hold hold, long spanNanos, long lateNanos) {
        recordEvent(
                type, hold.resource, hold.session, hold.mode(), hold.fence, spanNanos, lateNanos);
    }

    private void recordEvent(
            KeyEvent.Type type,
            Resource resource,
            SessionState sessionState,
            ReadWriteMode readWriteMode,
            long fence,
            long spanNanos,
            long lateNanos) {
        if (events != null) {
            events.add(
                    new KeyEvent(
                            type,
                            resource.kind(),
                            resource.key,
                            sessionState.id,
                            readWriteMode,
                            fence,
                            state.nowNanos,
                            spanNanos,
                            lateNanos,
                            resource.holders(),
                            resource.waiters));
        }
    }

    /**
     * If the resource is unused, schedules its collection, or drops it at once if it is transient.
     */
    private void markIdle(Resource resource, Quotas quotas) {
        if (!resource.isUnused() || resource.suspended) {
            return;
        }
        if (!resource.retained) {
            state.drop(resource);
            quotas.returnTransientKey(resource.key, resource.creator);
        } else if (!resource.isScheduled()) {
            idleEnds.schedule(resource, engineSettings.idleEnd(resource.lastActivityNanos));
        }
    }

    private @Nullable Hold find(ResourceKind resourceKind, Key key, Token token) {
        Resource resource = state.space(resourceKind).get(key);
        Hold hold = resource == null ? null : resource.find(token.fence());
        return hold != null && hold.salt == token.salt() ? hold : null;
    }

    /**
     * The current time plus a duration; {@link Long#MAX_VALUE}, which is never, if that overflows.
     */
    private long after(long spanNanos) {
        long time = state.nowNanos + spanNanos;
        return time < state.nowNanos ? Long.MAX_VALUE : time;
    }

    private static Effect granted(Hold hold, long request) {
        return new Effect.Granted(
                hold.session.id, request, hold.resource.key, hold.token(), hold.leaseNanos);
    }

    private static void refuse(Command.Keyed c, Refusal reason, List<Effect> effects) {
        effects.add(new Effect.Refused(c.session(), c.request(), reason));
    }
}
