package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.view.HolderView;
import io.holdfast.engine.view.ResourceView;
import io.holdfast.engine.view.TrackedRequestView;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * An engine with quotas and a manual clock. Sessions have names of people. Checks the invariants
 * after every step.
 */
final class LockScenario {
    /** The default lease and wait timeout. */
    static final Duration USUAL = Duration.ofHours(1);

    static final Duration IDLE = Duration.ofSeconds(60);
    static final String NOBODY = "nobody";

    /** The outcome of a request so far. */
    enum Outcome {
        BLOCKED,
        GRANTED,
        QUEUED,
        RELEASED,
        RENEWED,
        TIMED_OUT,
        CANCELLED,
        TRY_ACQUIRED,
        KEPT,
        INSPECTED,
        OFFERED,
        LAPSED,
        EXPIRED,
        REVOKED,
        EVICTED,
        CHANGED,
        WAS_QUEUED,
        WAS_OFFERED,
        WAS_HELD,
        WAS_GONE,
        NOT_HELD,
        BUSY,
        TOO_MANY_KEYS,
        TOO_MANY_WAITERS,
        LIMIT_MISMATCH,
        ALREADY_ENQUEUED,
        NOT_ENQUEUED
    }

    /** What a request is about. */
    record Target(ResourceKind kind, Key key, long limit) {
        static Target lock(String name) {
            return new Target(ResourceKind.LOCK, Key.of(name), 1);
        }

        static Target semaphore(String name, long limit) {
            return new Target(ResourceKind.SEMAPHORE, Key.of(name), limit);
        }

        static Target shared(String name) {
            return new Target(ResourceKind.SHARED, Key.of(name), Long.MAX_VALUE);
        }
    }

    /** A submitted request and its effects so far. */
    record Request(long session, long number, Target target, List<Effect> effects) {
        /** The outcome by the last effect: a grant may be followed by its cancellation. */
        Outcome outcome() {
            if (effects.isEmpty()) {
                return Outcome.BLOCKED;
            }
            return switch (effects.getLast()) {
                case Effect.Granted _ -> Outcome.GRANTED;
                case Effect.Queued _ -> Outcome.QUEUED;
                case Effect.Released _ -> Outcome.RELEASED;
                case Effect.Renewed _ -> Outcome.RENEWED;
                case Effect.TimedOut _ -> Outcome.TIMED_OUT;
                case Effect.Cancelled _ -> Outcome.CANCELLED;
                case Effect.TryAcquired tryAcquired ->
                        tryAcquired.isNew() ? Outcome.TRY_ACQUIRED : Outcome.KEPT;
                case Effect.Inspected _ -> Outcome.INSPECTED;
                case Effect.Orphaned _ ->
                        fail("not the effect of a request: %s", effects.getLast());
                case Effect.Offered _ -> Outcome.OFFERED;
                case Effect.OfferExpired _ -> Outcome.LAPSED;
                case Effect.Expired _ -> Outcome.EXPIRED;
                case Effect.Revoked _ -> Outcome.REVOKED;
                case Effect.ForceReleased _ -> Outcome.EVICTED;
                case Effect.Changed _ -> Outcome.CHANGED;
                case Effect.StatusReport statusReport ->
                        Outcome.valueOf("WAS_" + statusReport.status().name());
                case Effect.Counted _, Effect.Found _, Effect.Absent _, Effect.Items _ ->
                        fail("an effect about data: %s", effects.getLast());
                case Effect.Refused refused -> Outcome.valueOf(refused.reason().name());
            };
        }

        /** The grant, even if the hold is lost again. */
        Effect.Granted grant() {
            for (Effect effect : effects) {
                if (effect instanceof Effect.Granted granted) {
                    return granted;
                }
            }
            return fail("not granted but %s", outcome());
        }

        Effect.TryAcquired tryAcquired() {
            if (!effects.isEmpty() && effects.getLast() instanceof Effect.TryAcquired tryAcquired) {
                return tryAcquired;
            }
            return fail("not try-acquired but %s", outcome());
        }

        Token token() {
            return grant().token();
        }

        long fence() {
            return token().fence();
        }
    }

    private record RequestId(long session, long number) {}

    final TestQuotas quotas = new TestQuotas();
    final LockEngine engine;
    private final Map<String, Long> sessions = new HashMap<>();
    private final Map<Long, String> names = new HashMap<>();
    private final Map<RequestId, Request> requests = new HashMap<>();
    private final List<Effect> effects = new ArrayList<>();
    private final List<Effect.Orphaned> orphaned = new ArrayList<>();
    private final Set<Key> sharing = new HashSet<>(); // locks with readers, offers or suspended
    private long nowNanos = 1_000_000_000;
    private long quarantineEnd = Long.MIN_VALUE;
    private long lastRequest;
    private long lastSalt = 0x5A17;

    LockScenario() {
        this(new EngineSettings(0, IDLE.toNanos(), true));
    }

    LockScenario(EngineSettings engineSettings) {
        engine = new LockEngine(engineSettings);
    }

    static LockScenario withMaxWaiters(int maxWaiters) {
        return new LockScenario(new EngineSettings(maxWaiters, IDLE.toNanos(), true));
    }

    static LockScenario withPolicy(Target what, QueuePolicy queuePolicy) {
        return new LockScenario(
                new EngineSettings(0, IDLE.toNanos(), true, 0, Map.of(what.key(), queuePolicy)));
    }

    static LockScenario withoutAutoRelease() {
        return new LockScenario(new EngineSettings(0, IDLE.toNanos(), false));
    }

    static LockScenario withIdleTime(Duration idle) {
        return new LockScenario(new EngineSettings(0, idle.toNanos(), true));
    }

    Request acquire(String who, Target what) {
        return acquire(who, what, USUAL, USUAL);
    }

    Request acquire(String who, Target what, Duration lease) {
        return acquire(who, what, USUAL, lease);
    }

    Request acquire(String who, Target what, Duration waitTime, Duration lease) {
        return acquire(who, what, nanos(waitTime), nanos(lease));
    }

    Request acquire(String who, Target what, long waitNanos, long leaseNanos) {
        Request request = request(who, what);
        apply(
                new Command.Acquire(
                        request.session(),
                        request.number(),
                        what.kind(),
                        what.key(),
                        what.limit(),
                        waitNanos,
                        leaseNanos,
                        ++lastSalt));
        return request;
    }

    /** With the given attributes. */
    Request acquire(String who, Target what, HoldAttributes holdAttributes) {
        return acquire(who, what, holdAttributes, USUAL, USUAL);
    }

    Request acquire(
            String who,
            Target what,
            HoldAttributes holdAttributes,
            Duration waitTime,
            Duration lease) {
        if (holdAttributes.mode() == ReadWriteMode.READ) {
            sharing.add(what.key());
        }
        Request request = request(who, what);
        apply(
                new Command.Acquire(
                        request.session(),
                        request.number(),
                        what.kind(),
                        what.key(),
                        what.limit(),
                        nanos(waitTime),
                        nanos(lease),
                        ++lastSalt,
                        holdAttributes));
        return request;
    }

    /** The tracked acquires of a session. */
    List<TrackedRequestView> trackedRequests(String who) {
        return engine.views().trackedRequests(session(who), 0, Integer.MAX_VALUE, nowNanos);
    }

    Request acquireWithoutWait(String who, Target what) {
        return acquire(who, what, Duration.ZERO, USUAL);
    }

    Request enqueue(String who, Target what) {
        return enqueue(who, what, USUAL);
    }

    Request enqueue(String who, Target what, Duration lease) {
        Request request = request(who, what);
        apply(
                new Command.Enqueue(
                        request.session(),
                        request.number(),
                        what.kind(),
                        what.key(),
                        what.limit(),
                        nanos(lease),
                        ++lastSalt));
        return request;
    }

    Request await(String who, Target what) {
        return await(who, what, USUAL);
    }

    Request await(String who, Target what, Duration waitTime) {
        Request request = request(who, what);
        apply(
                new Command.Await(
                        request.session(),
                        request.number(),
                        what.kind(),
                        what.key(),
                        nanos(waitTime)));
        return request;
    }

    Request release(String who, Target what, Token token) {
        Request request = request(who, what);
        apply(
                new Command.Release(
                        request.session(), request.number(), what.kind(), what.key(), token));
        return request;
    }

    /** The session of the granted request releases the slot. */
    Request release(Request granted) {
        return release(names.get(granted.session()), granted.target(), granted.token());
    }

    Request renew(String who, Target what, Token token, Duration lease) {
        Request request = request(who, what);
        apply(
                new Command.Renew(
                        request.session(),
                        request.number(),
                        what.kind(),
                        what.key(),
                        token,
                        nanos(lease)));
        return request;
    }

    Request renew(Request granted, Duration lease) {
        return renew(names.get(granted.session()), granted.target(), granted.token(), lease);
    }

    Request tryAcquire(String who, Target what) {
        Request request = request(who, what);
        apply(
                new Command.TryAcquire(
                        request.session(), request.number(), what.kind(), what.key(), ++lastSalt));
        return request;
    }

    Request releaseBySession(String who, Target what) {
        Request request = request(who, what);
        apply(
                new Command.ReleaseBySession(
                        request.session(), request.number(), what.kind(), what.key()));
        return request;
    }

    Effect.Inspected inspect(String who, Target what) {
        byte[] before = stateNow();
        Request request = request(who, what);
        apply(new Command.Inspect(request.session(), request.number(), what.kind(), what.key()));
        assertThat(EngineSnapshot.of(engine)).as("looking changes nothing").isEqualTo(before);
        return (Effect.Inspected) request.effects().getLast();
    }

    Request requestOffer(String who, Target what, ReadWriteMode readWriteMode) {
        return requestOffer(
                who, what, readWriteMode, USUAL, USUAL, Duration.ofSeconds(Long.MAX_VALUE));
    }

    Request read(String who, Target what) {
        return requestOffer(who, what, ReadWriteMode.READ);
    }

    Request write(String who, Target what) {
        return requestOffer(who, what, ReadWriteMode.WRITE);
    }

    Request requestOffer(
            String who,
            Target what,
            ReadWriteMode readWriteMode,
            Duration waitTime,
            Duration confirm,
            Duration lease) {
        sharing.add(what.key());
        Request request = request(who, what);
        apply(
                new Command.RequestOffer(
                        request.session(),
                        request.number(),
                        what.key(),
                        readWriteMode,
                        nanos(waitTime),
                        nanos(confirm),
                        nanos(lease),
                        ++lastSalt));
        return request;
    }

    Request confirm(Request tracked) {
        return applyTracked(tracked, Command.Confirm::new);
    }

    Request decline(Request tracked) {
        return applyTracked(tracked, Command.Decline::new);
    }

    Request giveUp(Request tracked) {
        return applyTracked(tracked, Command.CancelOrRelease::new);
    }

    /** The status of a request; must not change the state. */
    Effect.StatusReport check(Request tracked) {
        byte[] before = stateNow();
        Request request = applyTracked(tracked, Command.QueryStatus::new);
        assertThat(EngineSnapshot.of(engine)).as("looking changes nothing").isEqualTo(before);
        return (Effect.StatusReport) request.effects().getLast();
    }

    OfferRequestStatus status(Request tracked) {
        return check(tracked).status();
    }

    private interface TrackedCommandFactory {
        Command.OnTrackedRequest of(long session, long request, Key key, long tracked);
    }

    private Request applyTracked(Request tracked, TrackedCommandFactory command) {
        return applyTracked(
                names.get(tracked.session()), tracked.target(), tracked.number(), command);
    }

    /** A session uses the number of an offer request, which need not be its own. */
    Request confirm(String who, Target what, long number) {
        return applyTracked(who, what, number, Command.Confirm::new);
    }

    Request giveUp(String who, Target what, long number) {
        return applyTracked(who, what, number, Command.CancelOrRelease::new);
    }

    private Request applyTracked(
            String who, Target what, long number, TrackedCommandFactory command) {
        Request request = request(who, what);
        apply(command.of(request.session(), request.number(), what.key(), number));
        return request;
    }

    Request suspend(Target what) {
        sharing.add(what.key());
        Request request = request("operator", what);
        apply(new Command.Suspend(request.session(), request.number(), what.key()));
        return request;
    }

    Request resume(Target what) {
        Request request = request("operator", what);
        apply(new Command.Resume(request.session(), request.number(), what.key()));
        return request;
    }

    Request reassert(String who, Target what, ReadWriteMode readWriteMode, Duration lease) {
        Request request = request(who, what);
        apply(
                new Command.Reassert(
                        request.session(),
                        request.number(),
                        what.key(),
                        readWriteMode,
                        nanos(lease),
                        ++lastSalt));
        return request;
    }

    /** An operator releases one hold by force, or all if the fence is 0. */
    Request forceRelease(Target what, long fence) {
        Request request = request("operator", what);
        apply(
                new Command.ForceRelease(
                        request.session(), request.number(), what.kind(), what.key(), fence));
        return request;
    }

    void cancel(Request request) {
        Target what = request.target();
        apply(new Command.Cancel(request.session(), request.number(), what.kind(), what.key()));
    }

    void close(String who) {
        close(who, lastRequest);
    }

    /** Closes the session before the response to this request, or to any later one, was written. */
    void close(String who, Request unanswered) {
        close(who, unanswered.number() - 1);
    }

    private void close(String who, long lastAnswered) {
        long session = session(who);
        sessions.remove(who);
        apply(new Command.CloseSession(session, lastAnswered));
        assertThat(engine.views().hasHolds(session)).as("a closed session has holds").isFalse();
    }

    /** Closes the session in slices of up to {@code max} waiters and holds. */
    void closeInSlices(String who, int max) {
        long session = session(who);
        sessions.remove(who);
        do {
            apply(new Command.CloseSession(session, lastRequest, max));
        } while (engine.hasSession(session));
    }

    /** The state after everything due by now has expired. */
    private byte[] stateNow() {
        tick();
        return EngineSnapshot.of(engine);
    }

    /** Starts a quarantine of this duration. */
    void quarantine(Duration duration) {
        quarantineEnd = nowNanos + duration.toNanos();
        engine.quarantine(quarantineEnd);
    }

    void advance(Duration duration) {
        nowNanos += duration.toNanos();
        tick();
    }

    /** Advances the clock to the next deadlines of the engine until there is an effect. */
    Duration follow() {
        long start = nowNanos;
        for (int looks = 0; looks < 20; looks++) {
            assertThat(engine.nextDeadlineNanos()).isNotEqualTo(Long.MAX_VALUE);
            nowNanos = engine.nextDeadlineNanos();
            tick();
            if (!effects.isEmpty()) {
                return Duration.ofNanos(nowNanos - start);
            }
        }
        return fail("the engine has deadlines again and again without an effect");
    }

    /** Advances the clock without a command to the engine. */
    void advanceSilently(Duration duration) {
        nowNanos += duration.toNanos();
    }

    void setBack(Duration duration) {
        nowNanos -= duration.toNanos();
    }

    void tick() {
        apply(new Command.Tick());
    }

    void collect() {
        collect(Integer.MAX_VALUE);
    }

    void collect(int most) {
        apply(new Command.Collect(most));
    }

    /** The session with the oldest hold of this key. */
    String holderOf(Target what) {
        return view(what)
                .filter(view -> view.holders() > 0)
                .map(view -> names.get(view.owner()))
                .orElse(NOBODY);
    }

    int holdersOf(Target what) {
        return view(what).map(ResourceView::holders).orElse(0);
    }

    int waitersFor(Target what) {
        return view(what).map(ResourceView::waiters).orElse(0);
    }

    boolean isRetained(Target what) {
        return view(what).isPresent();
    }

    boolean isIdle(Target what) {
        return Views.of(engine, nowNanos).idle().stream().anyMatch(view -> is(view, what));
    }

    Optional<ResourceView> view(Target what) {
        return Views.of(engine, nowNanos).all().stream().filter(view -> is(view, what)).findAny();
    }

    /** The holders of a key, in order of grant. */
    List<String> holders(Target what) {
        HolderView view = engine.views().holders(what.kind(), what.key());
        return view == null ? List.of() : view.sessions().stream().map(names::get).toList();
    }

    /** Fence of the grant since which a key has had holders without a gap. */
    long since(Target what) {
        return Objects.requireNonNull(engine.views().holders(what.kind(), what.key())).since();
    }

    /** All orphaned effects since the start, in order. */
    List<Effect.Orphaned> orphaned() {
        return List.copyOf(orphaned);
    }

    boolean isHolding(String who) {
        return engine.views().hasHolds(session(who));
    }

    long now() {
        return nowNanos;
    }

    /** The effects of the last step, in order. */
    List<Effect> lastEffects() {
        return List.copyOf(effects);
    }

    long session(String who) {
        return sessions.computeIfAbsent(
                who,
                name -> {
                    long id = names.size() + 1L;
                    names.put(id, name);
                    return id;
                });
    }

    static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return Command.FOREVER;
        }
    }

    private static boolean is(ResourceView view, Target what) {
        return view.kind() == what.kind() && view.key().equals(what.key());
    }

    private Request request(String who, Target what) {
        Request request = new Request(session(who), ++lastRequest, what, new ArrayList<>());
        requests.put(new RequestId(request.session(), request.number()), request);
        return request;
    }

    private void apply(Command command) {
        effects.clear();
        engine.apply(command, nowNanos, quotas, effects);
        for (Effect effect : effects) {
            deliver(effect);
        }
        Views views = Views.of(engine, nowNanos);
        if (nowNanos < quarantineEnd) {
            assertThat(views.all())
                    .as("nothing that excludes others is held")
                    .allMatch(view -> view.kind() == ResourceKind.SHARED || view.holders() == 0);
        } else {
            views.check(sharing::contains);
        }
        assertThat(quotas.keys + quotas.transientKeys)
                .as("charged keys")
                .isEqualTo(views.all().size());
        assertThat(quotas.transientKeys)
                .as("transient keys")
                .isBetween(0L, views.inUse().size() + suspended(views));
        views.checkHolders(engine, nowNanos);
        assertThat(quotas.pieces).as("charged holds and waiters").isEqualTo(views.pieces());
        assertThat(engine.nextDeadlineNanos()).as("what is due has ended").isGreaterThan(nowNanos);
    }

    /** The maximum number of keys that exist only because they are suspended. */
    private long suspended(Views views) {
        return views.idle().stream().filter(view -> sharing.contains(view.key())).count();
    }

    /**
     * A request has one effect; only offer requests, tracked acquires and cancelled requests may
     * have more.
     */
    private static boolean mayFollow(Effect effect, Request request) {
        if (request.effects().isEmpty()) {
            return true;
        }
        Outcome before = request.outcome();
        return switch (effect) {
            case Effect.Cancelled _ ->
                    before == Outcome.GRANTED
                            || before == Outcome.TRY_ACQUIRED
                            || before == Outcome.QUEUED
                            || before == Outcome.OFFERED;
            case Effect.Offered _, Effect.TimedOut _ -> before == Outcome.QUEUED;
            case Effect.OfferExpired _ -> before == Outcome.OFFERED;
            case Effect.Expired _ ->
                    before == Outcome.OFFERED
                            || before == Outcome.WAS_HELD
                            || before == Outcome.GRANTED;
            case Effect.Revoked _ ->
                    before == Outcome.GRANTED
                            || before == Outcome.OFFERED
                            || before == Outcome.WAS_HELD;
            default -> false;
        };
    }

    private void deliver(Effect effect) {
        if (effect instanceof Effect.Orphaned left) {
            assertThat(names).containsKey(left.session());
            assertThat(sessions).doesNotContainValue(left.session());
            orphaned.add(left);
            return;
        }
        Request request = requests.get(new RequestId(effect.session(), effect.request()));
        if (request == null) {
            fail("%s belongs to no request", effect);
            return;
        }
        if (!mayFollow(effect, request)) {
            fail("%s is a second effect after %s", effect, request.effects());
        }
        request.effects().add(effect);
        if (effect instanceof Effect.Granted granted) {
            assertThat(granted.key()).isEqualTo(request.target().key());
        }
    }
}
