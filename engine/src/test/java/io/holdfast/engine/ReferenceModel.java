package io.holdfast.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rules of the engine in the plainest way: one list of names, one list of claims, and every
 * question answered by looking through all of them. Data has a model of its own.
 */
final class ReferenceModel {
    private static final long NEVER = Long.MAX_VALUE;

    private static final class Name {
        final Kind kind;
        final Key key;
        final long limit;
        long lastActivity;

        Name(Kind kind, Key key, long limit) {
            this.kind = kind;
            this.key = key;
            this.limit = limit;
        }
    }

    /** Somebody who wants or has a slot. A grant moves a claim to the end of the list. */
    private static final class Claim {
        final Name name;
        final long session;
        final long salt;
        final long lease;
        boolean held;
        long request; // 0: nobody was told to wait for it
        long fence;
        long toldBy; // the request whose answer told the token first, 0 if none
        boolean onRecord;
        boolean orphaned;
        long end = NEVER;
        long turn;

        Claim(Name name, long session, long request, long salt, long lease, boolean onRecord) {
            this.name = name;
            this.session = session;
            this.request = request;
            this.salt = salt;
            this.lease = lease;
            this.onRecord = onRecord;
        }
    }

    private final Settings settings;
    private final int maxKeys;
    final DataModel data;
    boolean room = true;
    private final List<Name> names = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private long now = Long.MIN_VALUE;
    private long turns;
    private long fences;
    private List<Effect> effects = new ArrayList<>();

    ReferenceModel(Settings settings, int maxKeys, int maxEntries) {
        this.settings = settings;
        this.maxKeys = maxKeys;
        this.data = new DataModel(settings, maxEntries);
    }

    List<Effect> apply(Command command, long time) {
        effects = new ArrayList<>();
        now = Math.max(now, time);
        endWhatIsDue();
        data.passTo(now);
        switch (command) {
            case Command.Acquire c -> acquire(c);
            case Command.Enqueue c -> enqueue(c);
            case Command.Await c -> await(c);
            case Command.Release c -> {
                Optional<Claim> hold = hold(c, c.token());
                if (hold.isEmpty()) {
                    refuse(c, Refusal.NOT_HELD);
                } else {
                    effects.add(new Effect.Released(c.session(), c.request()));
                    end(hold.get());
                }
            }
            case Command.Renew c -> {
                Optional<Claim> hold = hold(c, c.token());
                if (hold.isEmpty()) {
                    refuse(c, Refusal.NOT_HELD);
                } else {
                    hold.get().name.lastActivity = now;
                    schedule(hold.get(), c.leaseNanos());
                    effects.add(new Effect.Renewed(c.session(), c.request(), c.leaseNanos()));
                }
            }
            case Command.Data c -> effects.add(data.apply(c, room));
            case Command.Cancel c ->
                    claims.stream()
                            .filter(it -> it.session == c.session() && !it.orphaned)
                            .filter(it -> it.request == c.request())
                            .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                            .findFirst()
                            .ifPresent(
                                    it -> {
                                        effects.add(new Effect.Cancelled(c.session(), c.request()));
                                        end(it);
                                    });
            case Command.CloseSession c -> close(c);
            case Command.Tick() -> {}
            case Command.Collect _ -> {} // which names go is up to the engine: see forget
        }
        return effects;
    }

    long nextDeadline() {
        long ofClaims = claims.stream().mapToLong(it -> it.end).min().orElse(NEVER);
        return Math.min(ofClaims, data.nextDeadline());
    }

    boolean hasHolds(long session) {
        return claims.stream().anyMatch(it -> it.held && it.session == session && !it.orphaned);
    }

    /** How many names may go now. */
    long collectable() {
        return names.stream().filter(this::isCollectable).count();
    }

    /** Forgets the names that are not among those left, if they may go, and tells how many. */
    int forget(Views left) {
        List<Name> gone =
                names.stream()
                        .filter(
                                name ->
                                        left.all().stream()
                                                .noneMatch(
                                                        view ->
                                                                view.kind() == name.kind
                                                                        && view.key()
                                                                                .equals(name.key)))
                        .toList();
        if (!gone.stream().allMatch(this::isCollectable)) {
            throw new AssertionError("dropped too early, one of " + gone.size());
        }
        names.removeAll(gone);
        return gone.size();
    }

    Set<ResourceView> views() {
        Set<ResourceView> views = new HashSet<>();
        for (Name name : names) {
            List<Claim> holds = holds(name);
            boolean free = holds.isEmpty();
            views.add(
                    new ResourceView(
                            name.kind,
                            name.key,
                            name.limit,
                            holds.size(),
                            line(name).size(),
                            free ? 0 : holds.getFirst().session,
                            free ? 0 : left(holds.getFirst()),
                            now - name.lastActivity));
        }
        return views;
    }

    private long left(Claim hold) {
        return hold.end == NEVER ? Command.FOREVER : hold.end - now;
    }

    private void endWhatIsDue() {
        while (true) {
            Optional<Claim> due =
                    claims.stream()
                            .filter(it -> it.end <= now)
                            .min(
                                    Comparator.<Claim>comparingLong(it -> it.end)
                                            .thenComparingLong(it -> it.turn));
            if (due.isEmpty()) {
                return;
            }
            Claim claim = due.get();
            if (!claim.held) {
                effects.add(new Effect.TimedOut(claim.session, claim.request));
            }
            end(claim);
        }
    }

    private void acquire(Command.Acquire c) {
        Optional<Name> admitted = admit(c, c.limit());
        if (admitted.isEmpty()) {
            return;
        }
        Name name = admitted.get();
        Claim claim = new Claim(name, c.session(), c.request(), c.salt(), c.leaseNanos(), false);
        if (isFree(name)) {
            claims.add(claim);
            serve(name);
        } else if (isLineFull(name)) {
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else if (c.waitNanos() == 0) {
            effects.add(new Effect.TimedOut(c.session(), c.request()));
        } else if (!room) {
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else {
            claims.add(claim);
            schedule(claim, c.waitNanos());
        }
    }

    private void enqueue(Command.Enqueue c) {
        if (record(c).isPresent()) {
            refuse(c, Refusal.ALREADY_ENQUEUED);
            return;
        }
        Optional<Name> admitted = admit(c, c.limit());
        if (admitted.isEmpty()) {
            return;
        }
        Name name = admitted.get();
        Claim claim = new Claim(name, c.session(), 0, c.salt(), c.leaseNanos(), true);
        if (isFree(name)) {
            claim.request = c.request(); // the enqueue itself is told
            claims.add(claim);
            serve(name);
            claim.onRecord = true;
        } else if (isLineFull(name) || !room) {
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else {
            claims.add(claim);
            effects.add(new Effect.Queued(c.session(), c.request()));
        }
    }

    private void await(Command.Await c) {
        Optional<Claim> found = record(c);
        if (found.isEmpty()) {
            refuse(c, Refusal.NOT_ENQUEUED);
            return;
        }
        Claim claim = found.get();
        claim.name.lastActivity = now;
        claim.request = c.request();
        if (claim.held) {
            claim.onRecord = false;
            claim.toldBy = claim.toldBy == 0 ? c.request() : claim.toldBy;
            schedule(claim, claim.lease);
            effects.add(granted(claim));
        } else if (c.waitNanos() == 0) {
            effects.add(new Effect.TimedOut(c.session(), c.request()));
            end(claim);
        } else {
            schedule(claim, c.waitNanos());
        }
    }

    private void close(Command.CloseSession c) {
        List<Claim> own =
                claims.stream().filter(it -> it.session == c.session() && !it.orphaned).toList();
        own.stream().filter(it -> !it.held).forEach(this::end);
        for (Claim hold : own.stream().filter(it -> it.held).toList()) {
            if (settings.autoRelease() || hold.toldBy == 0 || hold.toldBy > c.lastAnswered()) {
                end(hold);
            } else {
                hold.onRecord = false;
                hold.orphaned = true;
            }
        }
    }

    private Optional<Name> admit(Command.Locking c, long limit) {
        Optional<Name> known =
                names.stream()
                        .filter(it -> it.kind == c.kind() && it.key.equals(c.key()))
                        .findAny();
        if (known.isPresent() && known.get().limit != limit) {
            refuse(c, Refusal.LIMIT_MISMATCH);
            return Optional.empty();
        }
        boolean takesSlot = known.isEmpty() || isFree(known.get());
        boolean capped = known.isEmpty() && maxKeys > 0 && names.size() >= maxKeys;
        if (capped || (takesSlot && !room)) {
            refuse(c, Refusal.TOO_MANY_KEYS);
            return Optional.empty();
        }
        if (known.isEmpty()) {
            known = Optional.of(new Name(c.kind(), c.key(), limit));
            names.add(known.get());
        }
        Name name = known.get();
        name.lastActivity = now;
        return known;
    }

    /** Removes a claim, waiting or held, and grants what that sets free. */
    private void end(Claim claim) {
        claims.remove(claim);
        claim.name.lastActivity = now;
        serve(claim.name);
    }

    private void serve(Name name) {
        while (!line(name).isEmpty() && holds(name).size() < name.limit) {
            Claim first = line(name).getFirst();
            claims.remove(first);
            claims.add(first);
            first.held = true;
            first.fence = ++fences;
            schedule(first, first.lease);
            if (first.request != 0) {
                first.toldBy = first.request;
                first.onRecord = false;
                effects.add(granted(first));
            }
        }
    }

    private void schedule(Claim claim, long span) {
        claim.end = now > 0 && span > NEVER - now ? NEVER : now + span;
        claim.turn = ++turns;
    }

    private List<Claim> line(Name name) {
        return claims.stream().filter(it -> it.name == name && !it.held).toList();
    }

    private List<Claim> holds(Name name) {
        return claims.stream().filter(it -> it.name == name && it.held).toList();
    }

    private boolean isFree(Name name) {
        return line(name).isEmpty() && holds(name).size() < name.limit;
    }

    private boolean isUnused(Name name) {
        return claims.stream().noneMatch(it -> it.name == name);
    }

    private boolean isLineFull(Name name) {
        return settings.maxWaiters() > 0 && line(name).size() >= settings.maxWaiters();
    }

    private boolean isCollectable(Name name) {
        boolean longAgo = now - name.lastActivity > settings.idleNanos();
        return isUnused(name) && (longAgo || settings.idleNanos() == 0);
    }

    private Optional<Claim> record(Command.Locking c) {
        return claims.stream()
                .filter(it -> it.onRecord && it.session == c.session())
                .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                .findAny();
    }

    private Optional<Claim> hold(Command.Locking c, Token token) {
        return claims.stream()
                .filter(it -> it.held && it.fence == token.fence() && it.salt == token.salt())
                .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                .findAny();
    }

    private void refuse(Command.Locking c, Refusal reason) {
        effects.add(new Effect.Refused(c.session(), c.request(), reason));
    }

    private static Effect granted(Claim claim) {
        return new Effect.Granted(
                claim.session,
                claim.request,
                claim.name.key,
                new Token(claim.fence, claim.salt),
                claim.lease);
    }
}
