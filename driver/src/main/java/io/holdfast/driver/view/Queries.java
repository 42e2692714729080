package io.holdfast.driver.view;

import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.EngineViews;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.HeldCounts;
import io.holdfast.engine.view.HoldOrWaiterView;
import io.holdfast.engine.view.HolderView;
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
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.LongStream;

/**
 * Queries of the state of a driver. The state is in one engine or in several, each with keys of its
 * own; a result from several is not a view of one moment. Thread-safe.
 */
public final class Queries {
    private final List<? extends EngineReader> engines;
    private final ToIntFunction<Key> engineOf;

    /**
     * @param engineOf the index of the engine that has a key
     */
    public Queries(List<? extends EngineReader> engines, ToIntFunction<Key> engineOf) {
        this.engines = engines;
        this.engineOf = engineOf;
    }

    /** Queries of a single engine. */
    public Queries(EngineReader engine) {
        this(List.of(engine), _ -> 0);
    }

    private EngineReader engine(Key key) {
        return engines.get(engineOf.applyAsInt(key));
    }

    // ---- a key

    /** The holders of a key; null if there are none. */
    public @Nullable HolderView holders(ResourceKind resourceKind, Key key) {
        return engine(key)
                .<@Nullable HolderView>read((views, _) -> views.holders(resourceKind, key));
    }

    /**
     * A key with up to {@code max} holders and up to {@code max} waiters after the first {@code
     * ahead}; null if it has neither.
     */
    public @Nullable KeyView view(ResourceKind resourceKind, Key key, int ahead, int max) {
        return engine(key)
                .<@Nullable KeyView>read(
                        (views, now) -> views.view(resourceKind, key, ahead, max, now));
    }

    /** A key with up to {@code max} holders and {@code max} waiters; null if it has neither. */
    public @Nullable KeyView view(ResourceKind resourceKind, Key key, int max) {
        return view(resourceKind, key, 0, max);
    }

    /** Whether a session holds a key. */
    public boolean isHolding(long session, ResourceKind resourceKind, Key key) {
        return engine(key).read((views, _) -> views.isHolding(session, resourceKind, key));
    }

    // ---- a session

    /** Whether a session has any hold in a set of engines: bit i is the engine i. */
    public boolean hasHolds(long session, long among) {
        return select(among).stream()
                .anyMatch(engine -> engine.read((views, _) -> views.hasHolds(session)));
    }

    /** The number of holds and waiters of a session in a set of engines: bit i is the engine i. */
    public SessionUsage usage(long session, long among) {
        SessionUsage sum = new SessionUsage(0, 0);
        for (EngineReader engine : select(among)) {
            sum = sum.plus(engine.read((views, _) -> views.usage(session)));
        }
        return sum;
    }

    /** The holds and waiters of a session, up to {@code max} of each per engine. */
    public List<HoldOrWaiterView> holdsAndWaiters(long session, int max) {
        List<HoldOrWaiterView> all = new ArrayList<>();
        for (EngineReader engine : engines) {
            all.addAll(engine.read((views, now) -> views.holdsAndWaiters(session, max, now)));
        }
        return all;
    }

    /**
     * The tracked acquires of a session with request numbers greater than {@code after}, in order,
     * up to {@code max}, in a set of engines: bit i is the engine i.
     */
    public List<TrackedRequestView> trackedRequests(long session, long among, long after, int max) {
        List<TrackedRequestView> all = new ArrayList<>();
        for (EngineReader engine : select(among)) {
            all.addAll(
                    engine.read((views, now) -> views.trackedRequests(session, after, max, now)));
        }
        all.sort(Comparator.comparingLong(TrackedRequestView::request));
        return all.size() <= max ? all : all.subList(0, max);
    }

    private List<EngineReader> select(long among) {
        List<EngineReader> selected = new ArrayList<>(Long.bitCount(among));
        for (int i = 0; i < engines.size(); i++) {
            if ((among & 1L << i) != 0) {
                selected.add(engines.get(i));
            }
        }
        return selected;
    }

    // ---- all keys

    /** The number of held keys and of holds of one kind. */
    public HeldCounts countHeld(Namespace namespace, ResourceKind resourceKind) {
        HeldCounts sum = new HeldCounts(0, 0);
        for (EngineReader engine : engines) {
            sum = sum.plus(engine.read((views, _) -> views.countHeld(namespace, resourceKind)));
        }
        return sum;
    }

    /** The usage of one kind in all namespaces. */
    public ResourceKindUsage countUse(ResourceKind resourceKind) {
        ResourceKindUsage sum = new ResourceKindUsage(0, 0, 0);
        for (EngineReader engine : engines) {
            sum = sum.plus(engine.read((views, _) -> views.countUse(resourceKind)));
        }
        return sum;
    }

    /**
     * How long, in nanoseconds, the current waiters for keys of one kind have waited, in no
     * particular order. Limited to the {@code max} longest waits of each engine and namespace.
     */
    public long[] waited(ResourceKind resourceKind, int max) {
        return engines.stream()
                .map(engine -> engine.read((views, now) -> views.waited(resourceKind, max, now)))
                .flatMapToLong(LongStream::of)
                .toArray();
    }

    /** The keys that have waiters, each with up to {@code max} holders and {@code max} waiters. */
    public ScanCursor<QueueView> listQueues(int max) {
        return new MultiEngineScan<>(engines, views -> views.listQueues(max));
    }

    /** The keys of one kind that have holders. */
    public ScanCursor<HolderView> listHolders(Namespace namespace, ResourceKind resourceKind) {
        return new MultiEngineScan<>(engines, views -> views.listHolders(namespace, resourceKind));
    }

    /** The keys that have holders or waiters. */
    public ScanCursor<ResourceView> listInUse() {
        return new MultiEngineScan<>(engines, EngineViews::listInUse);
    }

    /** The retained keys that have neither holders nor waiters. */
    public ScanCursor<ResourceView> listIdle() {
        return new MultiEngineScan<>(engines, EngineViews::listIdle);
    }

    public ScanCursor<CounterView> listCounters() {
        return new MultiEngineScan<>(engines, EngineViews::listCounters);
    }

    /** All values except expired ones. */
    public ScanCursor<ValueView> listValues() {
        return new MultiEngineScan<>(engines, EngineViews::listValues);
    }

    public ScanCursor<ListView> listLists() {
        return new MultiEngineScan<>(engines, EngineViews::listLists);
    }
}
