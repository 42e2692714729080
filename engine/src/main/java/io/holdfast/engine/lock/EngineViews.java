package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.HeldCounts;
import io.holdfast.engine.view.HoldOrWaiterView;
import io.holdfast.engine.view.HolderView;
import io.holdfast.engine.view.KeyScan;
import io.holdfast.engine.view.KeyView;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.QueueView;
import io.holdfast.engine.view.ResourceKindUsage;
import io.holdfast.engine.view.ResourceView;
import io.holdfast.engine.view.SessionUsage;
import io.holdfast.engine.view.TrackedRequestView;
import io.holdfast.engine.view.ValueView;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Read access to the state of an engine. No method changes the state. A {@code now} before the time
 * of the last command counts as that time.
 */
public final class EngineViews {
    private final EngineState state;

    EngineViews(EngineState state) {
        this.state = state;
    }

    /** Whether the session has a hold in this engine. */
    public boolean hasHolds(long session) {
        SessionState found = state.sessions.get(session);
        return found != null && found.hasHolds();
    }

    /** Whether a key exists, in use or idle. */
    public boolean isKnown(ResourceKind resourceKind, Key key) {
        return state.space(resourceKind).containsKey(key);
    }

    /** Whether an exclusive hold would be granted now. */
    public boolean isFree(ResourceKind resourceKind, Key key) {
        Resource resource = state.find(resourceKind, key);
        return resource == null || resource.admits(ReadWriteMode.WRITE);
    }

    /** Whether the data entry of an operation exists. */
    public boolean isKnown(DataOperation operation, Key key) {
        return state.data.isKnown(operation, key);
    }

    /** The keys that have holders or waiters. */
    public KeyScan<ResourceView> listInUse() {
        return listResources(false);
    }

    /** The keys that have neither holders nor waiters. */
    public KeyScan<ResourceView> listIdle() {
        return listResources(true);
    }

    /** The keys of one kind that have holders. */
    public KeyScan<HolderView> listHolders(Namespace namespace, ResourceKind resourceKind) {
        return new KeyScan<>(
                state.all,
                (resource, _) ->
                        resource.kind() == resourceKind
                                        && resource.holders() > 0
                                        && resource.key.namespace().equals(namespace)
                                ? holders(resource)
                                : null,
                view -> view.sessions().size() - 1);
    }

    /** The holders of a key; null if there are none. */
    public @Nullable HolderView holders(ResourceKind resourceKind, Key key) {
        Resource resource = state.find(resourceKind, key);
        return resource == null || resource.holders() == 0 ? null : holders(resource);
    }

    /**
     * A key with up to {@code max} holders and up to {@code max} waiters after the first {@code
     * ahead}; null if it has neither.
     */
    public @Nullable KeyView view(
            ResourceKind resourceKind, Key key, int ahead, int max, long now) {
        Resource resource = state.find(resourceKind, key);
        if (resource == null || resource.isUnused()) {
            return null;
        }
        List<KeyView.Holder> holders = new ArrayList<>();
        for (Hold hold : resource.holds()) {
            if (holders.size() == max) {
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
        List<KeyView.Waiter> queue = new ArrayList<>();
        int[] position = {0};
        resource.eachWait(
                waiter -> {
                    if (queue.size() == max) {
                        return false;
                    }
                    if (++position[0] > ahead) {
                        queue.add(
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
                queue);
    }

    /** The keys that have waiters, each with up to {@code max} holders and {@code max} waiters. */
    public KeyScan<QueueView> listQueues(int max) {
        return new KeyScan<>(
                state.all,
                (resource, now) -> resource.waiters > 0 ? queueView(resource, max, now) : null,
                view -> view.holders().size() + view.waiters().size());
    }

    private QueueView queueView(Resource resource, int max, long now) {
        List<Long> holders =
                resource.holds().stream().limit(max).map(hold -> hold.session.id).toList();
        List<QueueView.Waiter> waiters = new ArrayList<>();
        resource.eachWait(
                waiter -> {
                    waiters.add(
                            new QueueView.Waiter(
                                    waiter.session.id,
                                    waiter.mode(),
                                    since(waiter.sinceNanos, now),
                                    waiter.isAwaited()));
                    return waiters.size() < max;
                });
        return new QueueView(
                resource.kind(),
                resource.key,
                resource.holders(),
                resource.waiters,
                holders,
                waiters);
    }

    /** How many holds and waiters a session has in this engine. */
    public SessionUsage usage(long session) {
        SessionState found = state.sessions.get(session);
        return found == null ? new SessionUsage(0, 0) : new SessionUsage(found.holds, found.waits);
    }

    /** The holds and waiters of a session, up to {@code max} of each. */
    public List<HoldOrWaiterView> holdsAndWaiters(long session, int max, long now) {
        List<HoldOrWaiterView> all = new ArrayList<>();
        SessionState found = state.sessions.get(session);
        if (found == null) {
            return all;
        }
        int left = max;
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
        left = max;
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

    /**
     * The tracked acquires of a session with request numbers greater than {@code after}, in order,
     * up to {@code max}.
     */
    public List<TrackedRequestView> trackedRequests(long session, long after, int max, long now) {
        List<TrackedRequestView> views = new ArrayList<>();
        SessionState found = state.sessions.get(session);
        if (found == null) {
            return views;
        }
        for (HoldOrWaiter holdOrWaiter : found.trackedAfter(after)) {
            if (views.size() == max) {
                break;
            }
            switch (holdOrWaiter) {
                case HoldWithAttributes hold ->
                        views.add(
                                new TrackedRequestView(
                                        hold.request, hold.token(), remaining(hold, now)));
                case WaiterWithAttributes wait ->
                        views.add(new TrackedRequestView(wait.request, null, 0));
                case Hold _, Waiter _ -> {}
            }
        }
        return views;
    }

    private long remaining(LockDeadline entry, long now) {
        long ends = state.deadlines.timeOf(entry);
        return ends == Long.MAX_VALUE
                ? Command.FOREVER
                : Math.max(0, ends - Math.max(state.nowNanos, now));
    }

    /** Whether a session holds a key, other than by {@link Command.RequestOffer}. */
    public boolean isHolding(long session, ResourceKind resourceKind, Key key) {
        Resource resource = state.find(resourceKind, key);
        return resource != null && resource.holdOf(session) != null;
    }

    /** The kind of the hold of a key that a request of a session got; null if there is none. */
    public @Nullable ResourceKind kindHeldBy(long session, long request, Key key) {
        SessionState found = state.sessions.get(session);
        for (Hold hold = found == null ? null : found.lastHold; hold != null; hold = hold.before) {
            if (hold.request == request && hold.resource.key.equals(key)) {
                return hold.resource == state.locks.get(key)
                        ? ResourceKind.LOCK
                        : ResourceKind.SEMAPHORE;
            }
        }
        return null;
    }

    /** Whether an {@link Command.Enqueue} of the session has been granted and not been awaited. */
    public boolean hasUnawaited(long session, ResourceKind resourceKind, Key key) {
        Resource resource = state.find(resourceKind, key);
        SessionState found = state.sessions.get(session);
        return resource != null && found != null && found.enqueued(resource) instanceof Hold;
    }

    private static HolderView holders(Resource resource) {
        List<Long> sessions = new ArrayList<>(resource.holders());
        resource.holds().forEach(hold -> sessions.add(hold.session.id));
        return new HolderView(resource.key, sessions, resource.heldSince);
    }

    /** The number of held keys and of holds of one kind. */
    public HeldCounts countHeld(Namespace namespace, ResourceKind resourceKind) {
        UsageCounters usageCounters = state.usage(namespace, resourceKind);
        return new HeldCounts(usageCounters.keys, usageCounters.holds);
    }

    /** The usage of one kind in all namespaces. Visits each namespace: they are few. */
    public ResourceKindUsage countUse(ResourceKind resourceKind) {
        ResourceKindUsage sum = new ResourceKindUsage(0, 0, 0);
        for (Map<ResourceKind, UsageCounters> kinds : state.usage.values()) {
            UsageCounters usageCounters = kinds.get(resourceKind);
            if (usageCounters != null) {
                sum =
                        sum.plus(
                                new ResourceKindUsage(
                                        usageCounters.keys,
                                        usageCounters.holds,
                                        usageCounters.waits));
            }
        }
        return sum;
    }

    /**
     * How long, in nanoseconds, the current waiters for keys of one kind have waited, up to {@code
     * max} of each namespace: those that have waited longest.
     */
    public long[] waited(ResourceKind resourceKind, int max, long now) {
        LongStream.Builder all = LongStream.builder();
        for (Map<ResourceKind, UsageCounters> kinds : state.usage.values()) {
            UsageCounters usageCounters = kinds.get(resourceKind);
            if (usageCounters != null) {
                int[] left = {max};
                usageCounters.eachWait(
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
                (resource, now) -> resource.isUnused() == unused ? view(resource, now) : null);
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
