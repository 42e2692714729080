package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.data.DataModel;
import io.holdfast.engine.view.HoldOrWaiterView;
import io.holdfast.engine.view.HolderView;
import io.holdfast.engine.view.KeyView;
import io.holdfast.engine.view.QueueView;
import io.holdfast.engine.view.ResourceView;
import io.holdfast.engine.view.SessionUsage;
import io.holdfast.engine.view.TrackedRequestView;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A reference model of the engine: one list of keys, one list of slots, and every query is a linear
 * search. Data has its own model.
 */
final class ReferenceModel {
    private static final long NEVER = Long.MAX_VALUE;

    private static final class Name {
        final ResourceKind kind;
        final Key key;
        final long limit;
        boolean lasting; // retained while it is unused
        long lastActivity;
        boolean suspended;
        long since; // fence of the grant since which it has had holders

        Name(ResourceKind resourceKind, Key key, long limit) {
            this.kind = resourceKind;
            this.key = key;
            this.limit = limit;
        }
    }

    /** A waiter or a hold. A grant moves it to the end of the list. */
    private final class Slot {
        final Name name;
        long session;
        final long salt;
        final long lease;
        HoldAttributes attributes;
        Successor successor; // the other session that renewed it last
        long joined; // order among the holds and waiters of the session
        long since; // start of the wait, hold or offer
        boolean held;
        long request; // 0: no request is blocked on it
        long fence;
        long tokenSentBy; // the request whose response delivered the token first, 0 if none
        boolean onRecord;
        boolean orphaned;
        boolean requestedOffer; // gets an offer instead of a grant, and no token
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
            this.attributes = holdAttributes;
            this.since = now;
        }
    }

    private final EngineSettings engineSettings;
    private final int maxKeys;
    private final int maxTransientKeys;
    final DataModel data;
    boolean memoryLeft = true;
    private final List<Name> names = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();
    private long now = Long.MIN_VALUE;
    private final Set<Long> closed = new HashSet<>();
    private long turns;
    private long fences;
    private List<Effect> effects = new ArrayList<>();

    ReferenceModel(
            EngineSettings engineSettings, int maxKeys, int maxTransientKeys, int maxEntries) {
        this.engineSettings = engineSettings;
        this.maxKeys = maxKeys;
        this.maxTransientKeys = maxTransientKeys;
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
                    notifyIfRevoked(hold.get(), c.session());
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
                                    && hold.get().attributes.bound()
                                    && !hold.get().orphaned;
                    hold.get().successor =
                            inherits ? new Successor(c.session(), c.request(), now) : null;
                    effects.add(new Effect.Renewed(c.session(), c.request(), c.leaseNanos()));
                }
            }
            case Command.TryAcquire c -> tryAcquire(c);
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
            case Command.Data c -> effects.add(data.apply(c, memoryLeft));
            case Command.ForceRelease c -> forceRelease(c);
            case Command.Cancel c ->
                    slots.stream()
                            .filter(it -> it.session == c.session() && !it.orphaned)
                            .filter(it -> it.request == c.request())
                            .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                            .findFirst()
                            .ifPresent(
                                    it -> {
                                        effects.add(new Effect.Cancelled(c.session(), c.request()));
                                        end(it);
                                    });
            case Command.RequestOffer c -> requestOffer(c);
            case Command.OnTrackedRequest c -> applyTracked(c);
            case Command.Suspend c -> {
                if (find(c).isEmpty() && isTransientKeyRefused()) {
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
            case Command.Collect _ -> {} // which keys are dropped is up to the engine: see forget
        }
        return effects;
    }

    long nextDeadline() {
        long ofSeats = slots.stream().mapToLong(it -> it.end).min().orElse(NEVER);
        return Math.min(ofSeats, data.nextDeadline());
    }

    boolean isSuspended(Key key) {
        return names.stream().anyMatch(it -> it.suspended && it.key.equals(key));
    }

    boolean hasHolds(long session) {
        return slots.stream().anyMatch(it -> it.held && it.session == session && !it.orphaned);
    }

    /** The number of retained keys. */
    long keys() {
        return names.stream().filter(name -> name.lasting).count();
    }

    /** The number of transient keys. */
    long transientKeys() {
        return names.size() - keys();
    }

    /** The held keys of a kind, in order of acquisition. */
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

    /** The number of keys that may be collected now. */
    long collectable() {
        return names.stream().filter(this::isCollectable).count();
    }

    /**
     * Removes the keys that are not in the views, checks that they were collectable, and returns
     * how many.
     */
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
                            queue(name).size(),
                            free ? 0 : holds.getFirst().session,
                            free ? 0 : left(holds.getFirst()),
                            now - name.lastActivity,
                            free ? 0 : now - holds.getFirst().since,
                            free ? ReadWriteMode.WRITE : holds.getFirst().attributes.mode(),
                            free ? 0 : holds.getFirst().fence));
        }
        return views;
    }

    /**
     * A key with up to {@code most} holders, and up to {@code most} waiters after the first {@code
     * ahead}.
     */
    Optional<KeyView> view(ResourceKind resourceKind, Key key, int ahead, int most) {
        return names.stream()
                .filter(name -> name.kind == resourceKind && name.key.equals(key))
                .filter(name -> slots.stream().anyMatch(it -> it.name == name))
                .findAny()
                .map(
                        name ->
                                new KeyView(
                                        resourceKind,
                                        name.limit,
                                        holds(name).size(),
                                        queue(name).size(),
                                        holds(name).stream().limit(most).map(this::holder).toList(),
                                        waiters(queue(name)).stream()
                                                .skip(ahead)
                                                .limit(most)
                                                .toList()));
    }

    private List<KeyView.Waiter> waiters(List<Slot> queue) {
        List<KeyView.Waiter> waiters = new ArrayList<>();
        for (Slot it : queue) {
            waiters.add(
                    new KeyView.Waiter(
                            it.session,
                            waiters.size() + 1,
                            it.attributes.mode(),
                            now - it.since,
                            left(it)));
        }
        return waiters;
    }

    /** The keys that have waiters, with up to {@code most} holders and waiters of each. */
    Set<QueueView> queues(int most) {
        Set<QueueView> queues = new HashSet<>();
        for (Name name : names) {
            List<Slot> queue = queue(name);
            List<Slot> holds = holds(name);
            if (!queue.isEmpty()) {
                queues.add(
                        new QueueView(
                                name.kind,
                                name.key,
                                holds.size(),
                                queue.size(),
                                holds.stream().limit(most).map(it -> it.session).toList(),
                                queue.stream().limit(most).map(this::waiter).toList()));
            }
        }
        return queues;
    }

    private QueueView.Waiter waiter(Slot wait) {
        return new QueueView.Waiter(
                wait.session, wait.attributes.mode(), now - wait.since, wait.request != 0);
    }

    SessionUsage usage(long session) {
        return new SessionUsage(own(session, true).size(), own(session, false).size());
    }

    /** The holds and then the waiters of a session, up to {@code most} of each. */
    List<HoldOrWaiterView> holdsAndWaiters(long session, int most) {
        return Stream.of(true, false)
                .flatMap(held -> own(session, held).stream().limit(most))
                .map(
                        it ->
                                new HoldOrWaiterView(
                                        it.name.kind,
                                        it.name.key,
                                        it.attributes.mode(),
                                        it.held,
                                        !it.held && it.request != 0,
                                        it.offered,
                                        it.fence,
                                        now - it.since,
                                        left(it)))
                .toList();
    }

    private List<Slot> own(long session, boolean held) {
        return slots.stream()
                .filter(it -> it.session == session && !it.orphaned && it.held == held)
                .sorted(Comparator.comparingLong(it -> it.joined))
                .toList();
    }

    private KeyView.Holder holder(Slot hold) {
        return new KeyView.Holder(
                hold.session,
                hold.fence,
                hold.attributes.mode(),
                now - hold.since,
                left(hold),
                hold.offered);
    }

    /**
     * The tracked acquires of a session with numbers greater than {@code after}, in order, up to
     * {@code most}.
     */
    List<TrackedRequestView> trackedRequests(long session, long after, int most) {
        return slots.stream()
                .filter(it -> isTracked(it, session) && !it.requestedOffer && it.request > after)
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

    private static boolean isTracked(Slot slot, long session) {
        return slot.attributes.tracked() && slot.session == session && !slot.orphaned;
    }

    private long left(Slot hold) {
        return hold.end == NEVER ? Command.FOREVER : hold.end - now;
    }

    private void endWhatIsDue() {
        while (true) {
            Optional<Slot> due =
                    slots.stream()
                            .filter(it -> it.end <= now)
                            .min(
                                    Comparator.<Slot>comparingLong(it -> it.end)
                                            .thenComparingLong(it -> it.turn));
            if (due.isEmpty()) {
                return;
            }
            Slot slot = due.get();
            if (!slot.held) {
                effects.add(new Effect.TimedOut(slot.session, slot.request));
            } else if (slot.offered) {
                effects.add(new Effect.OfferExpired(slot.session, slot.request));
            } else if (slot.attributes.tracked()) {
                effects.add(new Effect.Expired(slot.session, slot.request));
            }
            end(slot);
        }
    }

    private void acquire(Command.Acquire c) {
        Optional<Name> admitted = admit(c, c.limit(), c.attributes().mode());
        if (admitted.isEmpty()) {
            return;
        }
        Name name = admitted.get();
        Slot slot =
                new Slot(name, c.session(), c.request(), c.salt(), c.leaseNanos(), c.attributes());
        if (isFree(name, c.attributes().mode())) {
            slots.add(slot);
            serve(name);
        } else if (isQueueFull(name)) {
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else if (c.waitNanos() == 0) {
            effects.add(new Effect.TimedOut(c.session(), c.request()));
        } else if (!memoryLeft) {
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else {
            slots.add(slot);
            schedule(slot, c.waitNanos());
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
        Slot slot = new Slot(name, c.session(), 0, c.salt(), c.leaseNanos(), holdAttributes);
        slot.onRecord = true;
        if (isFree(name, c.mode())) {
            slot.request = c.request(); // the enqueue itself gets the grant
            slots.add(slot);
            serve(name);
            slot.onRecord = true;
        } else if (isQueueFull(name) || !memoryLeft) {
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else {
            slots.add(slot);
            effects.add(new Effect.Queued(c.session(), c.request()));
        }
    }

    private void tryAcquire(Command.TryAcquire c) {
        Optional<Name> known = find(c);
        if (holdOf(c).isPresent()) {
            int holders = holds(known.orElseThrow()).size();
            effects.add(new Effect.TryAcquired(c.session(), c.request(), false, holders));
        } else if (known.isPresent() && !isFree(known.get(), ReadWriteMode.WRITE)) {
            refuse(c, Refusal.BUSY);
        } else if (!memoryLeft
                || (known.isEmpty()
                        && maxTransientKeys > 0
                        && transientKeys() >= maxTransientKeys)) {
            refuse(c, Refusal.TOO_MANY_KEYS);
        } else {
            long limit = c.kind() == ResourceKind.SHARED ? Long.MAX_VALUE : 1;
            Name name = known.orElseGet(() -> add(c, limit));
            name.lastActivity = now;
            Slot slot =
                    new Slot(
                            name,
                            c.session(),
                            c.request(),
                            c.salt(),
                            Command.FOREVER,
                            HoldAttributes.PLAIN);
            slots.add(slot);
            hold(slot);
            slot.tokenSentBy = c.request();
            int holders = holds(name).size();
            effects.add(new Effect.TryAcquired(c.session(), c.request(), true, holders));
        }
    }

    private void requestOffer(Command.RequestOffer c) {
        Optional<Name> known = find(c);
        if (!memoryLeft) {
            refuse(c, known.isEmpty() ? Refusal.TOO_MANY_KEYS : Refusal.TOO_MANY_WAITERS);
            return;
        }
        if (known.isEmpty() && isTransientKeyRefused()) {
            refuse(c, Refusal.TOO_MANY_KEYS);
            return;
        }
        Name name = known.orElseGet(() -> add(c, 1));
        name.lastActivity = now;
        boolean full = isQueueFull(name);
        HoldAttributes holdAttributes = new HoldAttributes(c.mode(), true, true);
        Slot slot =
                new Slot(name, c.session(), c.request(), c.salt(), c.leaseNanos(), holdAttributes);
        slot.requestedOffer = true;
        slot.confirm = c.confirmNanos();
        slots.add(slot);
        if (next(name).filter(slot::equals).isPresent()) {
            effects.add(new Effect.Queued(c.session(), c.request()));
            serve(name);
        } else if (full) {
            slots.remove(slot);
            refuse(c, Refusal.TOO_MANY_WAITERS);
        } else {
            effects.add(new Effect.Queued(c.session(), c.request()));
            schedule(slot, c.waitNanos());
            if (c.waitNanos() == 0) {
                effects.add(new Effect.TimedOut(c.session(), c.request()));
                end(slot);
            }
        }
    }

    private void applyTracked(Command.OnTrackedRequest c) {
        Optional<Slot> found =
                slots.stream()
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
        Slot slot = found.get();
        switch (c) {
            case Command.QueryStatus _ -> {}
            case Command.CancelOrRelease _ -> end(slot);
            case Command.Decline _ -> {
                if (offerRequestStatus != OfferRequestStatus.HELD) {
                    end(slot);
                }
            }
            case Command.Confirm _ -> {
                if (offerRequestStatus == OfferRequestStatus.OFFERED) {
                    slot.offered = false;
                    slot.since = now;
                    slot.name.lastActivity = now;
                    schedule(slot, slot.lease);
                    serve(slot.name);
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
        } else if (!memoryLeft) {
            refuse(c, Refusal.TOO_MANY_KEYS);
        } else {
            Name name = known.get();
            name.lastActivity = now;
            HoldAttributes holdAttributes = new HoldAttributes(c.mode(), true, true);
            Slot slot =
                    new Slot(
                            name,
                            c.session(),
                            c.request(),
                            c.salt(),
                            c.leaseNanos(),
                            holdAttributes);
            slot.requestedOffer = true;
            slots.add(slot);
            hold(slot);
            effects.add(
                    new Effect.StatusReport(
                            c.session(), c.request(), OfferRequestStatus.HELD, slot.fence));
        }
    }

    private boolean isTransientKeyRefused() {
        return !memoryLeft || (maxTransientKeys > 0 && transientKeys() >= maxTransientKeys);
    }

    private static boolean isWriter(Slot slot) {
        return slot.attributes.mode() == ReadWriteMode.WRITE;
    }

    private void await(Command.Await c) {
        Optional<Slot> found = record(c);
        if (found.isEmpty()) {
            refuse(c, Refusal.NOT_ENQUEUED);
            return;
        }
        Slot slot = found.get();
        slot.name.lastActivity = now;
        if (!slot.held && slot.request != 0) {
            effects.add(new Effect.Cancelled(c.session(), slot.request));
        }
        slot.request = c.request();
        if (slot.held) {
            slot.onRecord = false;
            slot.tokenSentBy = slot.tokenSentBy == 0 ? c.request() : slot.tokenSentBy;
            schedule(slot, slot.lease);
            effects.add(granted(slot));
        } else if (c.waitNanos() == 0) {
            effects.add(new Effect.TimedOut(c.session(), c.request()));
            end(slot);
        } else {
            schedule(slot, c.waitNanos());
        }
    }

    private void close(Command.CloseSession c) {
        List<Slot> own =
                slots.stream().filter(it -> it.session == c.session() && !it.orphaned).toList();
        List<Slot> waits = own.stream().filter(it -> !it.held).toList();
        slots.removeAll(waits); // all of them before the next waiter is determined
        for (Slot wait : waits) {
            wait.name.lastActivity = now;
            serve(wait.name);
            rest(wait.name);
        }
        int lockCount = 0;
        int shared = 0;
        closed.add(c.session());
        for (Slot hold : own(c.session(), true)) {
            Successor successor = hold.successor;
            if (successor != null
                    && successor.atNanos() >= c.successorsSinceNanos()
                    && !closed.contains(successor.session())) {
                pass(hold, successor);
                continue;
            }
            boolean unknown = hold.tokenSentBy == 0 || hold.tokenSentBy > c.lastAnswered();
            boolean forever = hold.lease == Command.FOREVER && !hold.requestedOffer;
            lockCount += forever && hold.name.kind == ResourceKind.LOCK ? 1 : 0;
            shared += forever && hold.name.kind == ResourceKind.SHARED ? 1 : 0;
            boolean released = engineSettings.autoRelease() && hold.attributes.bound();
            if (released || unknown || forever || hold.requestedOffer) {
                end(hold);
            } else {
                hold.onRecord = false;
                hold.orphaned = true;
            }
        }
        if (lockCount + shared > 0) {
            effects.add(new Effect.Orphaned(c.session(), lockCount, shared));
        }
    }

    private void pass(Slot hold, Successor successor) {
        hold.session = successor.session();
        hold.request = successor.request();
        hold.tokenSentBy = successor.request();
        hold.attributes = new HoldAttributes(hold.attributes.mode(), true, false);
        hold.onRecord = false;
        hold.successor = null;
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
        if (capped || ((takesSlot || takesKey) && !memoryLeft)) {
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

    private void forceRelease(Command.ForceRelease c) {
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
            if (hold.attributes.tracked()) {
                effects.add(new Effect.Revoked(hold.session, hold.request));
            }
            end(hold);
        }
    }

    private void notifyIfRevoked(Slot hold, long by) {
        if (hold.attributes.tracked() && hold.session != by) {
            effects.add(new Effect.Revoked(hold.session, hold.request));
        }
    }

    /** Removes a waiter or hold, and grants to the next waiters. */
    private void end(Slot slot) {
        slots.remove(slot);
        slot.name.lastActivity = now;
        serve(slot.name);
        rest(slot.name);
    }

    private void rest(Name name) {
        if (isUnused(name) && !name.lasting) {
            names.remove(name);
        }
    }

    /** The waiter to be granted or offered now. */
    private Optional<Slot> next(Name name) {
        List<Slot> queue = queue(name);
        List<Slot> holds = holds(name);
        if (name.kind != ResourceKind.LOCK) {
            return holds.size() < name.limit ? queue.stream().findFirst() : Optional.empty();
        }
        if (name.suspended || holds.stream().anyMatch(it -> it.offered || isWriter(it))) {
            return Optional.empty();
        }
        Optional<Slot> read = queue.stream().filter(it -> !isWriter(it)).findFirst();
        Optional<Slot> write = queue.stream().filter(ReferenceModel::isWriter).findFirst();
        Optional<Slot> next =
                switch (engineSettings.policies().getOrDefault(name.key, QueuePolicy.FIFO)) {
                    case FIFO -> queue.stream().findFirst();
                    case READER_PREFERRED -> read.or(() -> write);
                    case WRITER_PREFERRED -> write.or(() -> read);
                };
        return next.filter(it -> holds.isEmpty() || !isWriter(it));
    }

    private void serve(Name name) {
        for (Optional<Slot> next = next(name); next.isPresent(); next = next(name)) {
            Slot first = next.get();
            slots.remove(first);
            slots.add(first);
            first.offered = first.requestedOffer;
            hold(first);
            if (first.offered) {
                effects.add(
                        new Effect.Offered(
                                first.session,
                                first.request,
                                name.key,
                                first.attributes.mode(),
                                first.fence));
            } else if (first.request != 0) {
                first.tokenSentBy = first.request;
                first.onRecord = false;
                effects.add(granted(first));
            }
        }
    }

    private void hold(Slot slot) {
        boolean first = holds(slot.name).isEmpty();
        slot.held = true;
        slot.joined = ++turns;
        slot.fence = ++fences;
        slot.since = now;
        if (first) {
            slot.name.since = slot.fence;
        }
        schedule(slot, slot.offered ? slot.confirm : slot.lease);
    }

    private void schedule(Slot slot, long durationNanos) {
        slot.end = now > 0 && durationNanos > NEVER - now ? NEVER : now + durationNanos;
        slot.turn = ++turns;
    }

    private List<Slot> queue(Name name) {
        return slots.stream().filter(it -> it.name == name && !it.held).toList();
    }

    private List<Slot> holds(Name name) {
        return slots.stream().filter(it -> it.name == name && it.held).toList();
    }

    /** Whether a new request would be granted at once. */
    private boolean isFree(Name name, ReadWriteMode readWriteMode) {
        Slot newcomer = new Slot(name, 0, 0, 0, 0, new HoldAttributes(readWriteMode, true, false));
        slots.add(newcomer);
        boolean free = next(name).filter(newcomer::equals).isPresent();
        slots.remove(newcomer);
        return free;
    }

    private boolean isUnused(Name name) {
        return !name.suspended && slots.stream().noneMatch(it -> it.name == name);
    }

    private boolean isQueueFull(Name name) {
        return engineSettings.maxWaiters() > 0 && queue(name).size() >= engineSettings.maxWaiters();
    }

    private boolean isCollectable(Name name) {
        boolean longAgo = now - name.lastActivity > engineSettings.idleNanos();
        return isUnused(name) && (longAgo || engineSettings.idleNanos() == 0);
    }

    private Optional<Slot> record(Command.Locking c) {
        return slots.stream()
                .filter(it -> it.onRecord && it.session == c.session())
                .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                .findAny();
    }

    private Optional<Slot> hold(Command.Locking c, Token token) {
        return slots.stream()
                .filter(it -> it.held && !it.requestedOffer)
                .filter(it -> it.fence == token.fence() && it.salt == token.salt())
                .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                .findAny();
    }

    /** The exclusive hold of a session; the latest if it has several. */
    private Optional<Slot> holdOf(Command.Locking c) {
        return slots.stream()
                .filter(
                        it ->
                                it.held
                                        && !it.requestedOffer
                                        && isWriter(it)
                                        && it.session == c.session())
                .filter(it -> it.name.kind == c.kind() && it.name.key.equals(c.key()))
                .reduce((_, later) -> later);
    }

    private void refuse(Command.Locking c, Refusal reason) {
        effects.add(new Effect.Refused(c.session(), c.request(), reason));
    }

    private static Effect granted(Slot slot) {
        return new Effect.Granted(
                slot.session,
                slot.request,
                slot.name.key,
                new Token(slot.fence, slot.salt),
                slot.lease);
    }
}
