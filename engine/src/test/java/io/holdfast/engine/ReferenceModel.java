package io.holdfast.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The rules of the engine in the plainest way: one list of names, one list of seats, and every
 * question answered by looking through all of them. Data has a model of its own.
 */
final class ReferenceModel {
    private static final long NEVER = Long.MAX_VALUE;

    private static final class Name {
        final ResourceKind kind;
        final Key key;
        final long limit;
        boolean lasting; // remembered while nobody uses it
        long lastActivity;
        boolean suspended;
        long since; // fence of the grant since which somebody has held it

        Name(ResourceKind resourceKind, Key key, long limit) {
            this.kind = resourceKind;
            this.key = key;
            this.limit = limit;
        }
    }

    /** Somebody who wants or has a slot. A grant moves a seat to the end of the list. */
    private final class Slot {
        final Name name;
        long session;
        final long salt;
        final long lease;
        HoldAttributes terms;
        Successor heir; // who else renewed it last
        long joined; // order among what the session has
        long since; // waits, holds, or is offered it
        boolean held;
        long request; // 0: nobody was told to wait for it
        long fence;
        long toldBy; // the request whose answer told the token first, 0 if none
        boolean onRecord;
        boolean orphaned;
        boolean asked; // is made an offer when its turn comes, and told no token
        long confirm;
        boolean offered; // held, but not confirmed
        long end = NEVER;
        long turn;

        Slot(
                Name name,
                long session,
                long request,
                long salt,
                long lease,
                HoldAttributes holdAttributes) {
            this.name = name;
            this.session = session;
            this.request = request;
            this.salt = salt;
            this.lease = lease;
            this.terms = holdAttributes;
            this.since = now;
        }
    }

    private final EngineSettings engineSettings;
    private final int maxKeys;
    private final int maxClaims;
    final DataModel data;
    boolean room = true;
    private final List<Name> names = new ArrayList<>();
    private final List<Slot> seats = new ArrayList<>();
    private long now = Long.MIN_VALUE;
    private final Set<Long> closed = new HashSet<>();
    private long turns;
    private long fences;
    private List<Effect> effects = new ArrayList<>();

    ReferenceModel(EngineSettings engineSettings, int maxKeys, int maxClaims, int maxEntries) {
        this.engineSettings = engineSettings;
        this.maxKeys = maxKeys;
        this.maxClaims = maxClaims;
        this.data = new DataModel(engineSettings, maxEntries);
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
                Optional<Slot> hold = hold(c, c.token());
                if (hold.isEmpty()) {
                    refuse(c, Refusal.NOT_HELD);
                } else {
                    effects.add(new Effect.Released(c.session(), c.request()));
                    tellIfRevoked(hold.get(), c.session());
                    end(hold.get());
                }
            }
            case Command.Renew c -> {
                Optional<Slot> hold = hold(c, c.token());
                if (hold.isEmpty()) {
                    refuse(c, Refusal.NOT_HELD);
                } else {
                    hold.get().name.lastActivity = now;
                    schedule(hold.get(), c.leaseNanos());
                    boolean inherits =
                            hold.get().session != c.session()
                                    && hold.get().terms.bound()
                                    && !hold.get().orphaned;
                    hold.get().heir =
                            inherits ? new Successor(c.session(), c.request(), now) : null;
                    effects.add(new Effect.Renewed(c.session(), c.request(), c.leaseNanos()));
                }
            }
            case Command.TryAcquire c -> claim(c);
            case Command.ReleaseBySession c -> {
                Optional<Slot> hold = holdOf(c);
                if (hold.isEmpty()) {
                    refuse(c, Refusal.NOT_HELD);
                } else {
                    effects.add(new Effect.Released(c.session(), c.request()));
                    end(hold.get());
                }
            }
            case Command.Inspect c ->
                    effects.add(
                            new Effect.Inspected(
                                    c.session(),
                                    c.request(),
                                    find(c).map(name -> holds(name).size()).orElse(0),
                                    holdOf(c).isPresent()));
            case Command.Data c -> effects.add(data.apply(c, room));
            case Command.ForceRelease c -> evict(c);
            case Command.Cancel c ->
                    seats.stream()
                            .filter(it -> it.session == c.session() && !it.orphaned)
                            .filter(it -> it.request == c.request())
                            .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                            .findFirst()
                            .ifPresent(
                                    it -> {
                                        effects.add(new Effect.Cancelled(c.session(), c.request()));
                                        end(it);
                                    });
            case Command.RequestOffer c -> ask(c);
            case Command.OnTrackedRequest c -> settle(c);
            case Command.Suspend c -> {
                if (find(c).isEmpty() && isClaimRefused()) {
                    refuse(c, Refusal.TOO_MANY_KEYS);
                } else {
                    Name name = find(c).orElseGet(() -> add(c, 1));
                    name.suspended = true;
                    name.lastActivity = now;
                    effects.add(new Effect.Changed(c.session(), c.request()));
                }
            }
            case Command.Resume c -> {
                effects.add(new Effect.Changed(c.session(), c.request()));
                find(c).filter(name -> name.suspended)
                        .ifPresent(
                                name -> {
                                    name.suspended = false;
                                    name.lastActivity = now;
                                    serve(name);
                                    rest(name);
                                });
            }
            case Command.Reassert c -> reassert(c);
            case Command.CloseSession c -> close(c);
            case Command.Tick() -> {}
            case Command.Collect _ -> {} // which names go is up to the engine: see forget
        }
        return effects;
    }

    long nextDeadline() {
        long ofSeats = seats.stream().mapToLong(it -> it.end).min().orElse(NEVER);
        return Math.min(ofSeats, data.nextDeadline());
    }

    boolean isSuspended(Key key) {
        return names.stream().anyMatch(it -> it.suspended && it.key.equals(key));
    }

    boolean hasHolds(long session) {
        return seats.stream().anyMatch(it -> it.held && it.session == session && !it.orphaned);
    }

    /** How many names are remembered while nobody uses them. */
    long keys() {
        return names.stream().filter(name -> name.lasting).count();
    }

    /** How many names were only ever claimed. */
    long claims() {
        return names.size() - keys();
    }

    /** The names of a kind that somebody holds, in order of acquisition. */
    List<HolderView> holders(ResourceKind resourceKind) {
        return names.stream()
                .filter(name -> name.kind == resourceKind && !holds(name).isEmpty())
                .sorted(Comparator.comparingLong(name -> name.since))
                .map(
                        name ->
                                new HolderView(
                                        name.key,
                                        holds(name).stream().map(it -> it.session).toList(),
                                        name.since))
                .toList();
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
            List<Slot> holds = holds(name);
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
                            now - name.lastActivity,
                            free ? 0 : now - holds.getFirst().since,
                            free ? ReadWriteMode.WRITE : holds.getFirst().terms.mode(),
                            free ? 0 : holds.getFirst().fence));
        }
        return views;
    }

    /** How a name stands, with so many holders at most, and of the line after the first ones. */
    Optional<KeyView> view(ResourceKind resourceKind, Key key, int ahead, int most) {
        return names.stream()
                .filter(name -> name.kind == resourceKind && name.key.equals(key))
                .filter(name -> seats.stream().anyMatch(it -> it.name == name))
                .findAny()
                .map(
                        name ->
                                new KeyView(
                                        resourceKind,
                                        name.limit,
                                        holds(name).size(),
                                        line(name).size(),
                                        holds(name).stream().limit(most).map(this::holder).toList(),
                                        waiters(line(name)).stream()
                                                .skip(ahead)
                                                .limit(most)
                                                .toList()));
    }

    private List<KeyView.Waiter> waiters(List<Slot> line) {
        List<KeyView.Waiter> waiters = new ArrayList<>();
        for (Slot it : line) {
            waiters.add(
                    new KeyView.Waiter(
                            it.session,
                            waiters.size() + 1,
                            it.terms.mode(),
                            now - it.since,
                            left(it)));
        }
        return waiters;
    }

    /** The names that somebody waits for, with so many of each at most. */
    Set<QueueView> lines(int most) {
        Set<QueueView> lines = new HashSet<>();
        for (Name name : names) {
            List<Slot> line = line(name);
            List<Slot> holds = holds(name);
            if (!line.isEmpty()) {
                lines.add(
                        new QueueView(
                                name.kind,
                                name.key,
                                holds.size(),
                                line.size(),
                                holds.stream().limit(most).map(it -> it.session).toList(),
                                line.stream().limit(most).map(this::waiter).toList()));
            }
        }
        return lines;
    }

    private QueueView.Waiter waiter(Slot wait) {
        return new QueueView.Waiter(
                wait.session, wait.terms.mode(), now - wait.since, wait.request != 0);
    }

    SessionUsage possessions(long session) {
        return new SessionUsage(own(session, true).size(), own(session, false).size());
    }

    /** What a session holds, and then what it waits for, so many of each at most. */
    List<HoldOrWaiterView> belongings(long session, int most) {
        return Stream.of(true, false)
                .flatMap(held -> own(session, held).stream().limit(most))
                .map(
                        it ->
                                new HoldOrWaiterView(
                                        it.name.kind,
                                        it.name.key,
                                        it.terms.mode(),
                                        it.held,
                                        !it.held && it.request != 0,
                                        it.offered,
                                        it.fence,
                                        now - it.since,
                                        left(it)))
                .toList();
    }

    private List<Slot> own(long session, boolean held) {
        return seats.stream()
                .filter(it -> it.session == session && !it.orphaned && it.held == held)
                .sorted(Comparator.comparingLong(it -> it.joined))
                .toList();
    }

    private KeyView.Holder holder(Slot hold) {
        return new KeyView.Holder(
                hold.session,
                hold.fence,
                hold.terms.mode(),
                now - hold.since,
                left(hold),
                hold.offered);
    }

    /** The tracked acquires of a session with numbers above one, in order, so many at most. */
    List<TrackedRequestView> places(long session, long after, int most) {
        return seats.stream()
                .filter(it -> isTracked(it, session) && !it.asked && it.request > after)
                .sorted(Comparator.comparingLong(it -> it.request))
                .limit(most)
                .map(
                        it ->
                                it.held
                                        ? new TrackedRequestView(
                                                it.request, new Token(it.fence, it.salt), left(it))
                                        : new TrackedRequestView(it.request, null, 0))
                .toList();
    }

    private static boolean isTracked(Slot seat, long session) {
        return seat.terms.tracked() && seat.session == session && !seat.orphaned;
    }

    private long left(Slot hold) {
        return hold.end == NEVER ? Command.FOREVER : hold.end - now;
    }

    private void endWhatIsDue() {
        while (true) {
            Optional<Slot> due =
                    seats.stream()
                            .filter(it -> it.end <= now)
                            .min(
                                    Comparator.<Slot>comparingLong(it -> it.end)
                                            .thenComparingLong(it -> it.turn));
            if (due.isEmpty()) {
                return;
            }
            Slot seat = due.get();
            if (!seat.held) {
                effects.add(new Effect.TimedOut(seat.session, seat.request));
            } else if (seat.offered) {
                effects.add(new Effect.OfferExpired(seat.session, seat.request));
            } else if (seat.terms.tracked()) {
                effects.add(new Effect.Expired(seat.session, seat.request));
            }
            end(seat);
        }
    }

    private void acquire(Command.Acquire c) {
        Optional<Name> admitted = admit(c, c.limit(), c.terms().mode());
        if (admitted.isEmpty()) {
            return;
        }
        Name name = admitted.get();
        Slot seat = new Slot(name, c.session(), c.request(), c.salt(), c.leaseNanos(), c.terms());
        if (isFree(name, c.terms().mode())) {
            seats.add(seat);
            serve(name);
        } else if (isLineFull(name)) {
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else if (c.waitNanos() == 0) {
            effects.add(new Effect.TimedOut(c.session(), c.request()));
        } else if (!room) {
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else {
            seats.add(seat);
            schedule(seat, c.waitNanos());
        }
    }

    private void enqueue(Command.Enqueue c) {
        if (record(c).isPresent()) {
            refuse(c, Refusal.ALREADY_ENQUEUED);
            return;
        }
        Optional<Name> admitted = admit(c, c.limit(), c.mode());
        if (admitted.isEmpty()) {
            return;
        }
        Name name = admitted.get();
        HoldAttributes holdAttributes = new HoldAttributes(c.mode(), true, false);
        Slot seat = new Slot(name, c.session(), 0, c.salt(), c.leaseNanos(), holdAttributes);
        seat.onRecord = true;
        if (isFree(name, c.mode())) {
            seat.request = c.request(); // the enqueue itself is told
            seats.add(seat);
            serve(name);
            seat.onRecord = true;
        } else if (isLineFull(name) || !room) {
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else {
            seats.add(seat);
            effects.add(new Effect.Queued(c.session(), c.request()));
        }
    }

    private void claim(Command.TryAcquire c) {
        Optional<Name> known = find(c);
        if (holdOf(c).isPresent()) {
            int holders = holds(known.orElseThrow()).size();
            effects.add(new Effect.TryAcquired(c.session(), c.request(), false, holders));
        } else if (known.isPresent() && !isFree(known.get(), ReadWriteMode.WRITE)) {
            refuse(c, Refusal.BUSY);
        } else if (!room || (known.isEmpty() && maxClaims > 0 && claims() >= maxClaims)) {
            refuse(c, Refusal.TOO_MANY_KEYS);
        } else {
            long limit = c.kind() == ResourceKind.SHARED ? Long.MAX_VALUE : 1;
            Name name = known.orElseGet(() -> add(c, limit));
            name.lastActivity = now;
            Slot seat =
                    new Slot(
                            name,
                            c.session(),
                            c.request(),
                            c.salt(),
                            Command.FOREVER,
                            HoldAttributes.PLAIN);
            seats.add(seat);
            hold(seat);
            seat.toldBy = c.request();
            int holders = holds(name).size();
            effects.add(new Effect.TryAcquired(c.session(), c.request(), true, holders));
        }
    }

    private void ask(Command.RequestOffer c) {
        Optional<Name> known = find(c);
        if (!room) {
            refuse(c, known.isEmpty() ? Refusal.TOO_MANY_KEYS : Refusal.TOO_MANY_WAITERS);
            return;
        }
        if (known.isEmpty() && isClaimRefused()) {
            refuse(c, Refusal.TOO_MANY_KEYS);
            return;
        }
        Name name = known.orElseGet(() -> add(c, 1));
        name.lastActivity = now;
        boolean full = isLineFull(name);
        HoldAttributes holdAttributes = new HoldAttributes(c.mode(), true, true);
        Slot seat =
                new Slot(name, c.session(), c.request(), c.salt(), c.leaseNanos(), holdAttributes);
        seat.asked = true;
        seat.confirm = c.confirmNanos();
        seats.add(seat);
        if (next(name).filter(seat::equals).isPresent()) {
            effects.add(new Effect.Queued(c.session(), c.request()));
            serve(name);
        } else if (full) {
            seats.remove(seat);
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else {
            effects.add(new Effect.Queued(c.session(), c.request()));
            schedule(seat, c.waitNanos());
            if (c.waitNanos() == 0) {
                effects.add(new Effect.TimedOut(c.session(), c.request()));
                end(seat);
            }
        }
    }

    private void settle(Command.OnTrackedRequest c) {
        Optional<Slot> found =
                seats.stream()
                        .filter(it -> isTracked(it, c.session()))
                        .filter(
                                it ->
                                        it.request == c.targetRequest()
                                                && it.name.key.equals(c.key()))
                        .findAny();
        OfferRequestStatus offerRequestStatus =
                found.map(
                                it ->
                                        it.offered
                                                ? OfferRequestStatus.OFFERED
                                                : it.held
                                                        ? OfferRequestStatus.HELD
                                                        : OfferRequestStatus.QUEUED)
                        .orElse(OfferRequestStatus.GONE);
        long fence = found.map(it -> it.fence).orElse(0L);
        effects.add(new Effect.StatusReport(c.session(), c.request(), offerRequestStatus, fence));
        if (found.isEmpty()) {
            return;
        }
        Slot seat = found.get();
        switch (c) {
            case Command.QueryStatus _ -> {}
            case Command.CancelOrRelease _ -> end(seat);
            case Command.Decline _ -> {
                if (offerRequestStatus != OfferRequestStatus.HELD) {
                    end(seat);
                }
            }
            case Command.Confirm _ -> {
                if (offerRequestStatus == OfferRequestStatus.OFFERED) {
                    seat.offered = false;
                    seat.since = now;
                    seat.name.lastActivity = now;
                    schedule(seat, seat.lease);
                    serve(seat.name);
                }
            }
        }
    }

    private void reassert(Command.Reassert c) {
        Optional<Name> known = find(c).filter(name -> name.suspended);
        List<Slot> holds = known.map(this::holds).orElse(List.of());
        boolean fits =
                c.mode() == ReadWriteMode.WRITE
                        ? holds.isEmpty()
                        : holds.stream().noneMatch(it -> it.offered || isWriter(it));
        if (known.isEmpty() || !fits) {
            refuse(c, Refusal.BUSY);
        } else if (!room) {
            refuse(c, Refusal.TOO_MANY_KEYS);
        } else {
            Name name = known.get();
            name.lastActivity = now;
            HoldAttributes holdAttributes = new HoldAttributes(c.mode(), true, true);
            Slot seat =
                    new Slot(
                            name,
                            c.session(),
                            c.request(),
                            c.salt(),
                            c.leaseNanos(),
                            holdAttributes);
            seat.asked = true;
            seats.add(seat);
            hold(seat);
            effects.add(
                    new Effect.StatusReport(
                            c.session(), c.request(), OfferRequestStatus.HELD, seat.fence));
        }
    }

    private boolean isClaimRefused() {
        return !room || (maxClaims > 0 && claims() >= maxClaims);
    }

    private static boolean isWriter(Slot seat) {
        return seat.terms.mode() == ReadWriteMode.WRITE;
    }

    private void await(Command.Await c) {
        Optional<Slot> found = record(c);
        if (found.isEmpty()) {
            refuse(c, Refusal.NOT_ENQUEUED);
            return;
        }
        Slot seat = found.get();
        seat.name.lastActivity = now;
        if (!seat.held && seat.request != 0) {
            effects.add(new Effect.Cancelled(c.session(), seat.request));
        }
        seat.request = c.request();
        if (seat.held) {
            seat.onRecord = false;
            seat.toldBy = seat.toldBy == 0 ? c.request() : seat.toldBy;
            schedule(seat, seat.lease);
            effects.add(granted(seat));
        } else if (c.waitNanos() == 0) {
            effects.add(new Effect.TimedOut(c.session(), c.request()));
            end(seat);
        } else {
            schedule(seat, c.waitNanos());
        }
    }

    private void close(Command.CloseSession c) {
        List<Slot> own =
                seats.stream().filter(it -> it.session == c.session() && !it.orphaned).toList();
        List<Slot> waits = own.stream().filter(it -> !it.held).toList();
        seats.removeAll(waits); // all of them before the next is looked for
        for (Slot wait : waits) {
            wait.name.lastActivity = now;
            serve(wait.name);
            rest(wait.name);
        }
        int mutexes = 0;
        int shared = 0;
        closed.add(c.session());
        for (Slot hold : own(c.session(), true)) {
            Successor successor = hold.heir;
            if (successor != null
                    && successor.atNanos() >= c.successorsSinceNanos()
                    && !closed.contains(successor.session())) {
                pass(hold, successor);
                continue;
            }
            boolean unknown = hold.toldBy == 0 || hold.toldBy > c.lastAnswered();
            boolean forever = hold.lease == Command.FOREVER && !hold.asked;
            mutexes += forever && hold.name.kind == ResourceKind.LOCK ? 1 : 0;
            shared += forever && hold.name.kind == ResourceKind.SHARED ? 1 : 0;
            boolean released = engineSettings.autoRelease() && hold.terms.bound();
            if (released || unknown || forever || hold.asked) {
                end(hold);
            } else {
                hold.onRecord = false;
                hold.orphaned = true;
            }
        }
        if (mutexes + shared > 0) {
            effects.add(new Effect.Orphaned(c.session(), mutexes, shared));
        }
    }

    private void pass(Slot hold, Successor successor) {
        hold.session = successor.session();
        hold.request = successor.request();
        hold.toldBy = successor.request();
        hold.terms = new HoldAttributes(hold.terms.mode(), true, false);
        hold.onRecord = false;
        hold.heir = null;
        hold.joined = ++turns;
    }

    private Optional<Name> admit(Command.Locking c, long limit, ReadWriteMode readWriteMode) {
        Optional<Name> known = find(c);
        if (known.isPresent() && known.get().limit != limit) {
            refuse(c, Refusal.LIMIT_MISMATCH);
            return Optional.empty();
        }
        boolean takesSlot = known.isEmpty() || isFree(known.get(), readWriteMode);
        boolean takesKey = known.isEmpty() || !known.get().lasting;
        boolean capped = takesKey && maxKeys > 0 && keys() >= maxKeys;
        if (capped || ((takesSlot || takesKey) && !room)) {
            refuse(c, Refusal.TOO_MANY_KEYS);
            return Optional.empty();
        }
        Name name = known.orElseGet(() -> add(c, limit));
        name.lasting = true;
        name.lastActivity = now;
        return Optional.of(name);
    }

    private Name add(Command.Locking c, long limit) {
        Name name = new Name(c.kind(), c.key(), limit);
        names.add(name);
        return name;
    }

    private Optional<Name> find(Command.Locking c) {
        return names.stream().filter(it -> it.kind == c.kind() && it.key.equals(c.key())).findAny();
    }

    private void evict(Command.ForceRelease c) {
        List<Slot> evicted =
                find(c).map(this::holds).orElse(List.of()).stream()
                        .filter(it -> c.fence() == 0 || c.fence() == it.fence)
                        .toList();
        if (evicted.isEmpty()) {
            refuse(c, Refusal.NOT_HELD);
            return;
        }
        List<Effect.ForceReleased.Loss> lost =
                evicted.stream()
                        .map(it -> new Effect.ForceReleased.Loss(it.session, it.fence))
                        .toList();
        effects.add(new Effect.ForceReleased(c.session(), c.request(), lost, ++fences));
        for (Slot hold : evicted) {
            if (hold.terms.tracked()) {
                effects.add(new Effect.Revoked(hold.session, hold.request));
            }
            end(hold);
        }
    }

    private void tellIfRevoked(Slot hold, long by) {
        if (hold.terms.tracked() && hold.session != by) {
            effects.add(new Effect.Revoked(hold.session, hold.request));
        }
    }

    /** Removes a seat, waiting or held, and grants what that sets free. */
    private void end(Slot seat) {
        seats.remove(seat);
        seat.name.lastActivity = now;
        serve(seat.name);
        rest(seat.name);
    }

    private void rest(Name name) {
        if (isUnused(name) && !name.lasting) {
            names.remove(name);
        }
    }

    /** Who is to be let in now. */
    private Optional<Slot> next(Name name) {
        List<Slot> line = line(name);
        List<Slot> holds = holds(name);
        if (name.kind != ResourceKind.LOCK) {
            return holds.size() < name.limit ? line.stream().findFirst() : Optional.empty();
        }
        if (name.suspended || holds.stream().anyMatch(it -> it.offered || isWriter(it))) {
            return Optional.empty();
        }
        Optional<Slot> read = line.stream().filter(it -> !isWriter(it)).findFirst();
        Optional<Slot> write = line.stream().filter(ReferenceModel::isWriter).findFirst();
        Optional<Slot> next =
                switch (engineSettings.policies().getOrDefault(name.key, QueuePolicy.FIFO)) {
                    case FIFO -> line.stream().findFirst();
                    case READER_PREFERRED -> read.or(() -> write);
                    case WRITER_PREFERRED -> write.or(() -> read);
                };
        return next.filter(it -> holds.isEmpty() || !isWriter(it));
    }

    private void serve(Name name) {
        for (Optional<Slot> next = next(name); next.isPresent(); next = next(name)) {
            Slot first = next.get();
            seats.remove(first);
            seats.add(first);
            first.offered = first.asked;
            hold(first);
            if (first.offered) {
                effects.add(
                        new Effect.Offered(
                                first.session,
                                first.request,
                                name.key,
                                first.terms.mode(),
                                first.fence));
            } else if (first.request != 0) {
                first.toldBy = first.request;
                first.onRecord = false;
                effects.add(granted(first));
            }
        }
    }

    private void hold(Slot seat) {
        boolean first = holds(seat.name).isEmpty();
        seat.held = true;
        seat.joined = ++turns;
        seat.fence = ++fences;
        seat.since = now;
        if (first) {
            seat.name.since = seat.fence;
        }
        schedule(seat, seat.offered ? seat.confirm : seat.lease);
    }

    private void schedule(Slot seat, long span) {
        seat.end = now > 0 && span > NEVER - now ? NEVER : now + span;
        seat.turn = ++turns;
    }

    private List<Slot> line(Name name) {
        return seats.stream().filter(it -> it.name == name && !it.held).toList();
    }

    private List<Slot> holds(Name name) {
        return seats.stream().filter(it -> it.name == name && it.held).toList();
    }

    /** Whether one who came now would be let in at once. */
    private boolean isFree(Name name, ReadWriteMode readWriteMode) {
        Slot newcomer = new Slot(name, 0, 0, 0, 0, new HoldAttributes(readWriteMode, true, false));
        seats.add(newcomer);
        boolean free = next(name).filter(newcomer::equals).isPresent();
        seats.remove(newcomer);
        return free;
    }

    private boolean isUnused(Name name) {
        return !name.suspended && seats.stream().noneMatch(it -> it.name == name);
    }

    private boolean isLineFull(Name name) {
        return engineSettings.maxWaiters() > 0 && line(name).size() >= engineSettings.maxWaiters();
    }

    private boolean isCollectable(Name name) {
        boolean longAgo = now - name.lastActivity > engineSettings.idleNanos();
        return isUnused(name) && (longAgo || engineSettings.idleNanos() == 0);
    }

    private Optional<Slot> record(Command.Locking c) {
        return seats.stream()
                .filter(it -> it.onRecord && it.session == c.session())
                .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                .findAny();
    }

    private Optional<Slot> hold(Command.Locking c, Token token) {
        return seats.stream()
                .filter(it -> it.held && !it.asked)
                .filter(it -> it.fence == token.fence() && it.salt == token.salt())
                .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                .findAny();
    }

    /** What a session holds of a name alone; the latest where it may hold several. */
    private Optional<Slot> holdOf(Command.Locking c) {
        return seats.stream()
                .filter(it -> it.held && !it.asked && isWriter(it) && it.session == c.session())
                .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                .reduce((_, later) -> later);
    }

    private void refuse(Command.Locking c, Refusal reason) {
        effects.add(new Effect.Refused(c.session(), c.request(), reason));
    }

    private static Effect granted(Slot seat) {
        return new Effect.Granted(
                seat.session,
                seat.request,
                seat.name.key,
                new Token(seat.fence, seat.salt),
                seat.lease);
    }
}
