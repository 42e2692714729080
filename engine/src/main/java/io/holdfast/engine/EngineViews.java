package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * What can be seen of an engine. Looking changes nothing. A time that is asked about is never
 * before that of the last command.
 */
public final class EngineViews {
    private final EngineState state;

    EngineViews(EngineState state) {
        this.state = state;
    }

    /** Whether the session holds anything here. */
    public boolean hasHolds(long session) {
        SessionState found = state.sessions.get(session);
        return found != null && found.hasHolds();
    }

    /** Whether a name is remembered, used or not. */
    public boolean isKnown(ResourceKind resourceKind, Key key) {
        return state.space(resourceKind).containsKey(key);
    }

    /** Whether a hold would be granted now to one who wants a key for itself. */
    public boolean isFree(ResourceKind resourceKind, Key key) {
        Resource resource = state.space(resourceKind).get(key);
        return resource == null || (resource.waiters == 0 && resource.admits());
    }

    /** Whether there is what an operation is about. */
    public boolean isKnown(DataOperation operation, Key key) {
        return state.data.isKnown(operation, key);
    }

    /** The keys that have holders or waiters. */
    public KeyScan<ResourceView> listInUse() {
        return listResources(false);
    }

    /** The keys that have neither. */
    public KeyScan<ResourceView> listIdle() {
        return listResources(true);
    }

    /** The keys of one kind that somebody holds. */
    public KeyScan<HolderView> listHolders(Namespace namespace, ResourceKind resourceKind) {
        return new KeyScan<>(
                state.all,
                (keyedState, _) ->
                        keyedState instanceof Resource resource
                                        && resource.kind() == resourceKind
                                        && resource.holders() > 0
                                        && resource.key.namespace().equals(namespace)
                                ? holders(resource)
                                : null,
                view -> view.sessions().size() - 1);
    }

    /** Who holds a key; null if nobody does. */
    public @Nullable HolderView holders(ResourceKind resourceKind, Key key) {
        Resource resource = state.space(resourceKind).get(key);
        return resource == null || resource.holders() == 0 ? null : holders(resource);
    }

    /**
     * How a key stands, with {@code most} holders at most, and as many of those who wait after the
     * first {@code ahead}; null if nobody uses it.
     */
    public @Nullable KeyView view(
            ResourceKind resourceKind, Key key, int ahead, int most, long now) {
        Resource resource = state.space(resourceKind).get(key);
        if (resource == null || resource.isUnused()) {
            return null;
        }
        List<KeyView.Holder> holders = new ArrayList<>();
        for (Hold hold : resource.holds()) {
            if (holders.size() == most) {
                break;
            }
            holders.add(
                    new KeyView.Holder(
                            hold.session.id,
                            hold.fence,
                            hold.mode(),
                            since(hold.sinceNanos, now),
                            remaining(hold, now),
                            hold.isOffer()));
        }
        List<KeyView.Waiter> line = new ArrayList<>();
        int[] position = {0};
        resource.eachWait(
                waiter -> {
                    if (line.size() == most) {
                        return false;
                    }
                    if (++position[0] > ahead) {
                        line.add(
                                new KeyView.Waiter(
                                        waiter.session.id,
                                        position[0],
                                        waiter.mode(),
                                        since(waiter.sinceNanos, now),
                                        remaining(waiter, now)));
                    }
                    return true;
                });
        return new KeyView(
                resourceKind,
                resource.limit(),
                resource.holders(),
                resource.waiters,
                holders,
                line);
    }

    /** The keys that somebody waits for, with so many holders and waiters of each at most. */
    public KeyScan<QueueView> listQueues(int most) {
        return new KeyScan<>(
                state.all,
                (keyedState, now) ->
                        keyedState instanceof Resource resource && resource.waiters > 0
                                ? queueView(resource, most, now)
                                : null,
                view -> view.holders().size() + view.waiters().size());
    }

    private QueueView queueView(Resource resource, int most, long now) {
        List<Long> holders =
                resource.holds().stream().limit(most).map(hold -> hold.session.id).toList();
        List<QueueView.Waiter> waiters = new ArrayList<>();
        resource.eachWait(
                waiter -> {
                    waiters.add(
                            new QueueView.Waiter(
                                    waiter.session.id,
                                    waiter.mode(),
                                    since(waiter.sinceNanos, now),
                                    waiter.isAwaited()));
                    return waiters.size() < most;
                });
        return new QueueView(
                resource.kind(),
                resource.key,
                resource.holders(),
                resource.waiters,
                holders,
                waiters);
    }

    /** How much a session has here. */
    public SessionUsage usage(long session) {
        SessionState found = state.sessions.get(session);
        return found == null ? new SessionUsage(0, 0) : new SessionUsage(found.holds, found.waits);
    }

    /** What a session holds and waits for, so many of each at most. */
    public List<HoldOrWaiterView> holdsAndWaiters(long session, int most, long now) {
        List<HoldOrWaiterView> all = new ArrayList<>();
        SessionState found = state.sessions.get(session);
        if (found == null) {
            return all;
        }
        int left = most;
        for (Hold hold = found.firstHold; hold != null && left > 0; hold = hold.after, left--) {
            all.add(
                    new HoldOrWaiterView(
                            hold.resource.kind(),
                            hold.resource.key,
                            hold.mode(),
                            true,
                            false,
                            hold.isOffer(),
                            hold.fence,
                            since(hold.sinceNanos, now),
                            remaining(hold, now)));
        }
        left = most;
        for (Waiter waiter = found.firstWait;
                waiter != null && left > 0;
                waiter = waiter.after, left--) {
            all.add(
                    new HoldOrWaiterView(
                            waiter.resource.kind(),
                            waiter.resource.key,
                            waiter.mode(),
                            false,
                            waiter.isAwaited(),
                            false,
                            0,
                            since(waiter.sinceNanos, now),
                            remaining(waiter, now)));
        }
        return all;
    }

    private long since(long thenNanos, long now) {
        return Math.max(state.nowNanos, now) - thenNanos;
    }

    /** The tracked acquires of a session with numbers above one, in order, so many at most. */
    public List<TrackedRequestView> trackedRequests(long session, long after, int most, long now) {
        List<TrackedRequestView> places = new ArrayList<>();
        SessionState found = state.sessions.get(session);
        if (found == null) {
            return places;
        }
        for (HoldOrWaiter holdOrWaiter : found.trackedAfter(after)) {
            if (places.size() == most) {
                break;
            }
            switch (holdOrWaiter) {
                case HoldWithAttributes hold ->
                        places.add(
                                new TrackedRequestView(
                                        hold.request, hold.token(), remaining(hold, now)));
                case WaiterWithAttributes wait ->
                        places.add(new TrackedRequestView(wait.request, null, 0));
                case Hold _, Waiter _ -> {}
            }
        }
        return places;
    }

    private long remaining(Deadline entry, long now) {
        long ends = state.deadlines.timeOf(entry);
        return ends == Long.MAX_VALUE
                ? Command.FOREVER
                : Math.max(0, ends - Math.max(state.nowNanos, now));
    }

    /** Whether a session holds a key, other than by {@link Command.RequestOffer}. */
    public boolean isHolding(long session, ResourceKind resourceKind, Key key) {
        Resource resource = state.space(resourceKind).get(key);
        return resource != null && resource.holdOf(session) != null;
    }

    /** As what a session holds a key by a request; null if it does not. */
    public @Nullable ResourceKind kindHeldBy(long session, long request, Key key) {
        SessionState found = state.sessions.get(session);
        for (Hold hold = found == null ? null : found.lastHold; hold != null; hold = hold.before) {
            if (hold.request == request && hold.resource.key.equals(key)) {
                return hold.resource == state.space(ResourceKind.LOCK).get(key)
                        ? ResourceKind.LOCK
                        : ResourceKind.SEMAPHORE;
            }
        }
        return null;
    }

    /** Whether a session has got what it went in line for, and has not awaited it. */
    public boolean hasUnawaited(long session, ResourceKind resourceKind, Key key) {
        Resource resource = state.space(resourceKind).get(key);
        SessionState found = state.sessions.get(session);
        return resource != null && found != null && found.enqueued(resource) instanceof Hold;
    }

    private static HolderView holders(Resource resource) {
        List<Long> sessions = new ArrayList<>(resource.holders());
        resource.holds().forEach(hold -> sessions.add(hold.session.id));
        return new HolderView(resource.key, sessions, resource.heldSince);
    }

    /** How much of one kind is held. */
    public HeldCounts countHeld(Namespace namespace, ResourceKind resourceKind) {
        UsageCounters tally = state.usage(namespace, resourceKind);
        return new HeldCounts(tally.keys, tally.holds);
    }

    /** How much of one kind is in use; namespaces are few. */
    public ResourceKindUsage countUse(ResourceKind resourceKind) {
        ResourceKindUsage sum = new ResourceKindUsage(0, 0, 0);
        for (Map<ResourceKind, UsageCounters> kinds : state.usage.values()) {
            UsageCounters tally = kinds.get(resourceKind);
            if (tally != null) {
                sum = sum.plus(new ResourceKindUsage(tally.keys, tally.holds, tally.waits));
            }
        }
        return sum;
    }

    /**
     * How long those have waited who wait for keys of one kind, so many of each namespace at most:
     * those who have waited longest.
     */
    public long[] waited(ResourceKind resourceKind, int most, long now) {
        LongStream.Builder all = LongStream.builder();
        for (Map<ResourceKind, UsageCounters> kinds : state.usage.values()) {
            UsageCounters tally = kinds.get(resourceKind);
            if (tally != null) {
                int[] left = {most};
                tally.eachWait(
                        waiter -> {
                            all.add(since(waiter.sinceNanos, now));
                            return --left[0] > 0;
                        });
            }
        }
        return all.build().toArray();
    }

    public KeyScan<CounterView> listCounters() {
        return state.data.listCounters();
    }

    public KeyScan<ValueView> listValues() {
        return state.data.listValues();
    }

    public KeyScan<ListView> listLists() {
        return state.data.listLists();
    }

    private KeyScan<ResourceView> listResources(boolean unused) {
        return new KeyScan<>(
                state.all,
                (keyedState, now) ->
                        keyedState instanceof Resource resource && resource.isUnused() == unused
                                ? view(resource, now)
                                : null);
    }

    private ResourceView view(Resource resource, long now) {
        long at = Math.max(state.nowNanos, now);
        Hold first = resource.firstHold();
        long ends = first == null ? at : state.deadlines.timeOf(first);
        return new ResourceView(
                resource.kind(),
                resource.key,
                resource.limit(),
                resource.holders(),
                resource.waiters,
                first == null ? 0 : first.session.id,
                ends == Long.MAX_VALUE ? Command.FOREVER : Math.max(0, ends - at),
                at - resource.lastActivityNanos,
                first == null ? 0 : at - first.sinceNanos,
                first == null ? ReadWriteMode.WRITE : first.mode(),
                first == null ? 0 : first.fence);
    }
}
