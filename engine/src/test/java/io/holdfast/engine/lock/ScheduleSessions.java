package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The clients of a schedule: each has a session and tracks its requests, and all share the tokens
 * that any of them has got.
 */
final class ScheduleSessions {
    private record SentRequest(long request, Target target) {}

    private record KnownToken(Target target, Token token) {}

    private final Schedule schedule;
    private final long[] sessions = new long[Schedule.PEOPLE];
    private final Map<Long, List<SentRequest>> requests = new HashMap<>();
    private final Map<Long, List<SentRequest>> trackedRequests = new HashMap<>();
    private final Set<Long> unbound = new HashSet<>();
    private final List<KnownToken> tokens = new ArrayList<>();
    private final Set<Token> known = new HashSet<>();
    private long lastSession;
    private long lastSalt;

    ScheduleSessions(Schedule schedule) {
        this.schedule = schedule;
        for (int who = 0; who < sessions.length; who++) {
            open(who);
        }
    }

    List<Long> openSessions() {
        List<Long> open = new ArrayList<>();
        for (long session : sessions) {
            open.add(session);
        }
        return open;
    }

    /** Releases with all tokens ever delivered, each with its key. */
    List<Command> releasesOfAllTokens(int who) {
        List<Command> commands = new ArrayList<>();
        for (KnownToken knownToken : List.copyOf(tokens)) {
            commands.add(release(who, knownToken.target(), knownToken.token()));
        }
        return commands;
    }

    /** The command of a step; empty if the step refers to something that does not exist. */
    Optional<Command> command(ScheduleStep scheduleStep) {
        return switch (scheduleStep) {
            case ScheduleStep.Acquire(
                            int who,
                            int what,
                            long wait,
                            long lease,
                            HoldAttributes holdAttributes) -> {
                Target target = Schedule.TARGETS.get(what);
                yield Optional.of(
                        new Command.Acquire(
                                sessions[who],
                                acquire(who, target, holdAttributes),
                                target.kind(),
                                target.key(),
                                target.limit(),
                                schedule.nanos(wait),
                                schedule.nanos(lease),
                                nextSalt(),
                                target.kind() == ResourceKind.LOCK
                                        ? holdAttributes
                                        : alone(holdAttributes)));
            }
            case ScheduleStep.Enqueue(int who, int what, long lease) -> {
                Target target = Schedule.TARGETS.get(what);
                long salt = nextSalt();
                boolean read = target.kind() == ResourceKind.LOCK && salt % 3 == 0;
                yield Optional.of(
                        new Command.Enqueue(
                                sessions[who],
                                nextRequest(who, target),
                                target.kind(),
                                target.key(),
                                target.limit(),
                                schedule.nanos(lease),
                                salt,
                                read ? ReadWriteMode.READ : ReadWriteMode.WRITE));
            }
            case ScheduleStep.Await(int who, int what, long wait) -> {
                Target target = Schedule.TARGETS.get(what);
                yield Optional.of(
                        new Command.Await(
                                sessions[who],
                                nextRequest(who, target),
                                target.kind(),
                                target.key(),
                                schedule.nanos(wait)));
            }
            case ScheduleStep.Release(int who, int back, ScheduleStep.Use use) ->
                    token(back, use)
                            .map(
                                    knownToken ->
                                            release(who, knownToken.target(), knownToken.token()));
            case ScheduleStep.Renew(int who, int back, ScheduleStep.Use use, long lease) ->
                    token(back, use)
                            .map(
                                    knownToken ->
                                            new Command.Renew(
                                                    sessions[who],
                                                    nextRequest(who, knownToken.target()),
                                                    knownToken.target().kind(),
                                                    knownToken.target().key(),
                                                    knownToken.token(),
                                                    schedule.nanos(lease)));
            case ScheduleStep.TryAcquire(int who, int what) -> {
                Target target = Schedule.TRY_ACQUIRABLE.get(what);
                yield Optional.of(
                        new Command.TryAcquire(
                                sessions[who],
                                nextRequest(who, target),
                                target.kind(),
                                target.key(),
                                nextSalt()));
            }
            case ScheduleStep.ReleaseBySession(int who, int what) -> {
                Target target = Schedule.TRY_ACQUIRABLE.get(what);
                yield Optional.of(
                        new Command.ReleaseBySession(
                                sessions[who],
                                nextRequest(who, target),
                                target.kind(),
                                target.key()));
            }
            case ScheduleStep.Inspect(int who, int what) -> {
                Target target = Schedule.TRY_ACQUIRABLE.get(what);
                yield Optional.of(
                        new Command.Inspect(
                                sessions[who],
                                nextRequest(who, target),
                                target.kind(),
                                target.key()));
            }
            case ScheduleStep.Cancel(int who, int back) ->
                    lastRequest(who, back)
                            .map(
                                    it ->
                                            new Command.Cancel(
                                                    sessions[who],
                                                    it.request(),
                                                    it.target().kind(),
                                                    it.target().key()));
            case ScheduleStep.RequestOffer(
                            int who,
                            int name,
                            ReadWriteMode readWriteMode,
                            long wait,
                            long confirm,
                            long lease) ->
                    Optional.of(
                            new Command.RequestOffer(
                                    sessions[who],
                                    nextLockRequest(who, name),
                                    Schedule.LOCKS.get(name),
                                    readWriteMode,
                                    schedule.nanos(wait),
                                    schedule.nanos(confirm),
                                    schedule.nanos(lease),
                                    nextSalt()));
            case ScheduleStep.OnTrackedRequest(
                            int who,
                            int back,
                            ScheduleStep.TrackedAction action,
                            boolean elsewhere) -> {
                List<SentRequest> before = trackedRequests.get(sessions[who]);
                if (before.size() <= back) {
                    yield Optional.empty();
                }
                SentRequest about = before.get(before.size() - 1 - back);
                Key key = about.target().key();
                int other = key.equals(Schedule.LOCKS.getFirst()) ? 1 : 0;
                yield Optional.of(
                        applyTracked(
                                who,
                                elsewhere ? Schedule.LOCKS.get(other) : key,
                                about.request(),
                                action));
            }
            case ScheduleStep.Suspend(int who, int name) -> Optional.of(suspend(who, name));
            case ScheduleStep.Resume(int who, int name) -> Optional.of(resume(who, name));
            case ScheduleStep.Reassert(
                            int who,
                            int name,
                            ReadWriteMode readWriteMode,
                            long lease) ->
                    Optional.of(
                            new Command.Reassert(
                                    sessions[who],
                                    nextLockRequest(who, name),
                                    Schedule.LOCKS.get(name),
                                    readWriteMode,
                                    schedule.nanos(lease),
                                    nextSalt()));
            case ScheduleStep.Close(int who, int back) -> {
                long count = this.requests.get(sessions[who]).size();
                yield Optional.of(close(who, Math.max(0, count - back)));
            }
            case ScheduleStep.Data(int who, int name, var operation) ->
                    Optional.of(data(who, Schedule.NAMES.get(name), operation));
            case ScheduleStep.Collect(int most) -> Optional.of(new Command.Collect(most));
            case ScheduleStep.Tick(), ScheduleStep.TickWhenDue() -> Optional.of(new Command.Tick());
            case ScheduleStep.ForceRelease _,
                    ScheduleStep.AdvanceClock _,
                    ScheduleStep.MemoryAvailable _,
                    ScheduleStep.CollectAll _ ->
                    Optional.empty();
        };
    }

    private static HoldAttributes alone(HoldAttributes holdAttributes) {
        return new HoldAttributes(
                ReadWriteMode.WRITE, holdAttributes.bound(), holdAttributes.tracked());
    }

    private long acquire(int who, Target target, HoldAttributes holdAttributes) {
        long request = nextRequest(who, target);
        if (holdAttributes.tracked()) {
            trackedRequests.get(sessions[who]).add(new SentRequest(request, target));
        }
        if (!holdAttributes.bound()) {
            unbound.add(sessions[who]);
        }
        return request;
    }

    /** Whether a session ever requested an unbound hold. */
    boolean hasUnbound(long session) {
        return unbound.contains(session);
    }

    private Command applyTracked(int who, Key key, long about, ScheduleStep.TrackedAction action) {
        long session = sessions[who];
        long request = nextRequest(who, new Target(ResourceKind.LOCK, key, 1));
        return switch (action) {
            case CONFIRM -> new Command.Confirm(session, request, key, about);
            case DECLINE -> new Command.Decline(session, request, key, about);
            case GIVE_UP -> new Command.CancelOrRelease(session, request, key, about);
            case CHECK -> new Command.QueryStatus(session, request, key, about);
        };
    }

    Command forceRelease(int who, Target target, long fence) {
        return new Command.ForceRelease(
                sessions[who], nextRequest(who, target), target.kind(), target.key(), fence);
    }

    private Command suspend(int who, int name) {
        Key key = Schedule.LOCKS.get(name);
        return new Command.Suspend(
                sessions[who], nextRequest(who, new Target(ResourceKind.LOCK, key, 1)), key);
    }

    Command resume(int who, int name) {
        Key key = Schedule.LOCKS.get(name);
        return new Command.Resume(
                sessions[who], nextRequest(who, new Target(ResourceKind.LOCK, key, 1)), key);
    }

    /** A request that later ones may refer to. */
    private long nextLockRequest(int who, int name) {
        Target target = new Target(ResourceKind.LOCK, Schedule.LOCKS.get(name), 1);
        long request = nextRequest(who, target);
        trackedRequests.get(sessions[who]).add(new SentRequest(request, target));
        return request;
    }

    private Command close(int who, long lastAnswered) {
        long session = sessions[who];
        open(who);
        long successorsSince = session % 2 == 0 ? Long.MIN_VALUE : Command.FOREVER;
        return new Command.CloseSession(session, lastAnswered, Integer.MAX_VALUE, successorsSince);
    }

    Command data(int who, Key key, DataOperation operation) {
        List<SentRequest> before = requests.get(sessions[who]);
        long request = before.size() + 1L;
        before.add(
                new SentRequest(
                        request, Schedule.TARGETS.getFirst())); // cancelling it has no effect
        return new Command.Data(
                sessions[who],
                request,
                key,
                operation instanceof DataOperation.SetValue(var content, long ttl)
                        ? new DataOperation.SetValue(content, schedule.ttlNanos(ttl))
                        : operation);
    }

    void record(Effect effect) {
        if (effect instanceof Effect.Granted granted && known.add(granted.token())) {
            Target target =
                    requests.get(granted.session()).stream()
                            .filter(it -> it.request() == granted.request())
                            .findFirst()
                            .orElseThrow()
                            .target();
            tokens.add(new KnownToken(target, granted.token()));
        }
    }

    private void open(int who) {
        sessions[who] = ++lastSession;
        requests.put(lastSession, new ArrayList<>());
        trackedRequests.put(lastSession, new ArrayList<>());
    }

    private long nextRequest(int who, Target target) {
        List<SentRequest> before = requests.get(sessions[who]);
        long request = before.size() + 1L;
        before.add(new SentRequest(request, target));
        return request;
    }

    private Command release(int who, Target target, Token token) {
        return new Command.Release(
                sessions[who], nextRequest(who, target), target.kind(), target.key(), token);
    }

    private long nextSalt() {
        return ++lastSalt * 0x9E3779B97F4A7C15L;
    }

    private Optional<SentRequest> lastRequest(int who, int back) {
        List<SentRequest> before = requests.get(sessions[who]);
        return before.size() <= back
                ? Optional.empty()
                : Optional.of(before.get(before.size() - 1 - back));
    }

    private Optional<KnownToken> token(int back, ScheduleStep.Use use) {
        if (tokens.size() <= back) {
            return Optional.empty();
        }
        KnownToken knownToken = tokens.get(tokens.size() - 1 - back);
        Target target = knownToken.target();
        Token token = knownToken.token();
        return Optional.of(
                switch (use) {
                    case AS_DELIVERED -> knownToken;
                    case WRONG_SALT ->
                            new KnownToken(target, new Token(token.fence(), token.salt() ^ 1));
                    case WRONG_FENCE ->
                            new KnownToken(target, new Token(token.fence() + 1, token.salt()));
                    case WRONG_TARGET ->
                            new KnownToken(
                                    Schedule.TARGETS.get(
                                            target.kind() == ResourceKind.LOCK ? 2 : 0),
                                    token);
                });
    }
}
