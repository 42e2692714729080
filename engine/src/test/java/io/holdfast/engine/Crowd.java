package io.holdfast.engine;

import io.holdfast.engine.LockScenario.Target;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The people of a schedule: each has a session, remembers what it asked, and all share the tokens
 * that any of them was told.
 */
final class Crowd {
    private record Asked(long request, Target target) {}

    private record Told(Target target, Token token) {}

    private final Schedule schedule;
    private final long[] sessions = new long[Schedule.PEOPLE];
    private final Map<Long, List<Asked>> asked = new HashMap<>();
    private final Map<Long, List<Asked>> asks = new HashMap<>();
    private final Set<Long> unbound = new HashSet<>();
    private final List<Told> tokens = new ArrayList<>();
    private final Set<Token> known = new HashSet<>();
    private long lastSession;
    private long lastSalt;

    Crowd(Schedule schedule) {
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

    /** All that was ever told, with the key it was told for. */
    List<Command> releasesOfAllTokens(int who) {
        List<Command> commands = new ArrayList<>();
        for (Told told : List.copyOf(tokens)) {
            commands.add(release(who, told.target(), told.token()));
        }
        return commands;
    }

    /** The command that a step stands for; none where the step needs what nobody has. */
    Optional<Command> command(Step step) {
        return switch (step) {
            case Step.Acquire(int who, int what, long wait, long lease, Terms terms) -> {
                Target target = Schedule.TARGETS.get(what);
                yield Optional.of(
                        new Command.Acquire(
                                sessions[who],
                                acquire(who, target, terms),
                                target.kind(),
                                target.key(),
                                target.limit(),
                                schedule.nanos(wait),
                                schedule.nanos(lease),
                                nextSalt(),
                                target.kind() == Kind.MUTEX ? terms : alone(terms)));
            }
            case Step.Enqueue(int who, int what, long lease) -> {
                Target target = Schedule.TARGETS.get(what);
                long salt = nextSalt();
                boolean read = target.kind() == Kind.MUTEX && salt % 3 == 0;
                yield Optional.of(
                        new Command.Enqueue(
                                sessions[who],
                                ask(who, target),
                                target.kind(),
                                target.key(),
                                target.limit(),
                                schedule.nanos(lease),
                                salt,
                                read ? Mode.READ : Mode.WRITE));
            }
            case Step.Await(int who, int what, long wait) -> {
                Target target = Schedule.TARGETS.get(what);
                yield Optional.of(
                        new Command.Await(
                                sessions[who],
                                ask(who, target),
                                target.kind(),
                                target.key(),
                                schedule.nanos(wait)));
            }
            case Step.Release(int who, int back, Step.Use use) ->
                    token(back, use).map(told -> release(who, told.target(), told.token()));
            case Step.Renew(int who, int back, Step.Use use, long lease) ->
                    token(back, use)
                            .map(
                                    told ->
                                            new Command.Renew(
                                                    sessions[who],
                                                    ask(who, told.target()),
                                                    told.target().kind(),
                                                    told.target().key(),
                                                    told.token(),
                                                    schedule.nanos(lease)));
            case Step.Claim(int who, int what) -> {
                Target target = Schedule.CLAIMABLE.get(what);
                yield Optional.of(
                        new Command.Claim(
                                sessions[who],
                                ask(who, target),
                                target.kind(),
                                target.key(),
                                nextSalt()));
            }
            case Step.Unclaim(int who, int what) -> {
                Target target = Schedule.CLAIMABLE.get(what);
                yield Optional.of(
                        new Command.Unclaim(
                                sessions[who], ask(who, target), target.kind(), target.key()));
            }
            case Step.Inspect(int who, int what) -> {
                Target target = Schedule.CLAIMABLE.get(what);
                yield Optional.of(
                        new Command.Inspect(
                                sessions[who], ask(who, target), target.kind(), target.key()));
            }
            case Step.Cancel(int who, int back) ->
                    lastAsked(who, back)
                            .map(
                                    it ->
                                            new Command.Cancel(
                                                    sessions[who],
                                                    it.request(),
                                                    it.target().kind(),
                                                    it.target().key()));
            case Step.Ask(int who, int name, Mode mode, long wait, long confirm, long lease) ->
                    Optional.of(
                            new Command.Ask(
                                    sessions[who],
                                    askLock(who, name),
                                    Schedule.LOCKS.get(name),
                                    mode,
                                    schedule.nanos(wait),
                                    schedule.nanos(confirm),
                                    schedule.nanos(lease),
                                    nextSalt()));
            case Step.Settle(int who, int back, Step.Answer answer, boolean elsewhere) -> {
                List<Asked> before = asks.get(sessions[who]);
                if (before.size() <= back) {
                    yield Optional.empty();
                }
                Asked about = before.get(before.size() - 1 - back);
                Key key = about.target().key();
                int other = key.equals(Schedule.LOCKS.getFirst()) ? 1 : 0;
                yield Optional.of(
                        settle(
                                who,
                                elsewhere ? Schedule.LOCKS.get(other) : key,
                                about.request(),
                                answer));
            }
            case Step.Suspend(int who, int name) -> Optional.of(suspend(who, name));
            case Step.Resume(int who, int name) -> Optional.of(resume(who, name));
            case Step.Reassert(int who, int name, Mode mode, long lease) ->
                    Optional.of(
                            new Command.Reassert(
                                    sessions[who],
                                    askLock(who, name),
                                    Schedule.LOCKS.get(name),
                                    mode,
                                    schedule.nanos(lease),
                                    nextSalt()));
            case Step.Close(int who, int back) -> {
                long asked = this.asked.get(sessions[who]).size();
                yield Optional.of(close(who, Math.max(0, asked - back)));
            }
            case Step.Data(int who, int name, var operation) ->
                    Optional.of(data(who, Schedule.NAMES.get(name), operation));
            case Step.Collect(int most) -> Optional.of(new Command.Collect(most));
            case Step.Tick(), Step.Follow() -> Optional.of(new Command.Tick());
            case Step.Evict _, Step.Pass _, Step.Room _, Step.CollectAll _ -> Optional.empty();
        };
    }

    private static Terms alone(Terms terms) {
        return new Terms(Mode.WRITE, terms.bound(), terms.tracked());
    }

    private long acquire(int who, Target target, Terms terms) {
        long request = ask(who, target);
        if (terms.tracked()) {
            asks.get(sessions[who]).add(new Asked(request, target));
        }
        if (!terms.bound()) {
            unbound.add(sessions[who]);
        }
        return request;
    }

    /** Whether a session ever wanted what does not end with it. */
    boolean hasUnbound(long session) {
        return unbound.contains(session);
    }

    private Command settle(int who, Key key, long about, Step.Answer answer) {
        long session = sessions[who];
        long request = ask(who, new Target(Kind.MUTEX, key, 1));
        return switch (answer) {
            case CONFIRM -> new Command.Confirm(session, request, key, about);
            case DECLINE -> new Command.Decline(session, request, key, about);
            case GIVE_UP -> new Command.GiveUp(session, request, key, about);
            case CHECK -> new Command.Check(session, request, key, about);
        };
    }

    Command evict(int who, Target target, long fence) {
        return new Command.Evict(
                sessions[who], ask(who, target), target.kind(), target.key(), fence);
    }

    private Command suspend(int who, int name) {
        Key key = Schedule.LOCKS.get(name);
        return new Command.Suspend(sessions[who], ask(who, new Target(Kind.MUTEX, key, 1)), key);
    }

    Command resume(int who, int name) {
        Key key = Schedule.LOCKS.get(name);
        return new Command.Resume(sessions[who], ask(who, new Target(Kind.MUTEX, key, 1)), key);
    }

    /** A request that later ones may be about. */
    private long askLock(int who, int name) {
        Target target = new Target(Kind.MUTEX, Schedule.LOCKS.get(name), 1);
        long request = ask(who, target);
        asks.get(sessions[who]).add(new Asked(request, target));
        return request;
    }

    private Command close(int who, long lastAnswered) {
        long session = sessions[who];
        open(who);
        long heirsSince = session % 2 == 0 ? Long.MIN_VALUE : Command.FOREVER;
        return new Command.CloseSession(session, lastAnswered, Integer.MAX_VALUE, heirsSince);
    }

    Command data(int who, Key key, DataOperation operation) {
        List<Asked> before = asked.get(sessions[who]);
        long request = before.size() + 1L;
        before.add(new Asked(request, Schedule.TARGETS.getFirst())); // cancelling it is no use
        return new Command.Data(
                sessions[who],
                request,
                key,
                operation instanceof DataOperation.SetValue(var content, long ttl)
                        ? new DataOperation.SetValue(content, schedule.ttlNanos(ttl))
                        : operation);
    }

    void hear(Effect effect) {
        if (effect instanceof Effect.Granted granted && known.add(granted.token())) {
            Target target =
                    asked.get(granted.session()).stream()
                            .filter(it -> it.request() == granted.request())
                            .findFirst()
                            .orElseThrow()
                            .target();
            tokens.add(new Told(target, granted.token()));
        }
    }

    private void open(int who) {
        sessions[who] = ++lastSession;
        asked.put(lastSession, new ArrayList<>());
        asks.put(lastSession, new ArrayList<>());
    }

    private long ask(int who, Target target) {
        List<Asked> before = asked.get(sessions[who]);
        long request = before.size() + 1L;
        before.add(new Asked(request, target));
        return request;
    }

    private Command release(int who, Target target, Token token) {
        return new Command.Release(
                sessions[who], ask(who, target), target.kind(), target.key(), token);
    }

    private long nextSalt() {
        return ++lastSalt * 0x9E3779B97F4A7C15L;
    }

    private Optional<Asked> lastAsked(int who, int back) {
        List<Asked> before = asked.get(sessions[who]);
        return before.size() <= back
                ? Optional.empty()
                : Optional.of(before.get(before.size() - 1 - back));
    }

    private Optional<Told> token(int back, Step.Use use) {
        if (tokens.size() <= back) {
            return Optional.empty();
        }
        Told told = tokens.get(tokens.size() - 1 - back);
        Target target = told.target();
        Token token = told.token();
        return Optional.of(
                switch (use) {
                    case AS_TOLD -> told;
                    case WRONG_SALT -> new Told(target, new Token(token.fence(), token.salt() ^ 1));
                    case WRONG_FENCE ->
                            new Told(target, new Token(token.fence() + 1, token.salt()));
                    case WRONG_TARGET ->
                            new Told(
                                    Schedule.TARGETS.get(target.kind() == Kind.MUTEX ? 2 : 0),
                                    token);
                });
    }
}
