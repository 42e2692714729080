package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.fail;

import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.HeldCounts;
import io.holdfast.engine.view.HolderView;
import io.holdfast.engine.view.KeyScan;
import io.holdfast.engine.view.ResourceView;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The listings of an engine, read in one slice, and their invariants. */
public record Views(List<ResourceView> inUse, List<ResourceView> idle) {
    public static Views of(LockEngine engine, long now) {
        return new Views(
                read(engine.views().listInUse(), now), read(engine.views().listIdle(), now));
    }

    private static List<ResourceView> read(KeyScan<ResourceView> keyScan, long now) {
        List<ResourceView> views = new ArrayList<>();
        while (keyScan.next(1_000, now, views)) {}
        return views;
    }

    public List<ResourceView> all() {
        List<ResourceView> all = new ArrayList<>(inUse);
        all.addAll(idle);
        return all;
    }

    /** The number of holds and waiters. */
    public long pieces() {
        return inUse.stream().mapToLong(view -> view.holders() + (long) view.waiters()).sum();
    }

    /** Checks the invariants that do not depend on earlier requests. */
    public void check() {
        check(_ -> false);
    }

    /**
     * Checks the invariants.
     *
     * @param sharing locks that may have readers or be suspended
     */
    public void check(Predicate<Key> sharing) {
        Set<List<Object>> names = new HashSet<>();
        for (ResourceView view : all()) {
            require(names.add(List.of(view.kind(), view.key())), "is listed once", view);
            if (!mayShare(view, sharing)) {
                require(view.holders() <= view.limit(), "has no more holders than slots", view);
                require(
                        view.waiters() == 0 || view.holders() == view.limit(),
                        "has no waiter while a slot is free",
                        view);
            }
            require(view.idleNanos() >= 0, "was active in the past", view);
            require(view.leaseLeftNanos() >= 0, "has no less than nothing left", view);
        }
        for (ResourceView view : inUse) {
            require(
                    view.holders() > 0 || mayShare(view, sharing),
                    "is in use because it is held",
                    view);
            require(view.holders() + view.waiters() > 0, "is in use", view);
        }
        for (ResourceView view : idle) {
            require(view.holders() == 0 && view.waiters() == 0, "is idle", view);
        }
    }

    private static boolean mayShare(ResourceView view, Predicate<Key> sharing) {
        return view.kind() == ResourceKind.LOCK && sharing.test(view.key());
    }

    /** Checks that the listing of holders agrees with the keys in use. */
    public void checkHolders(LockEngine engine, long now) {
        for (ResourceKind resourceKind : ResourceKind.values()) {
            List<ResourceView> held =
                    inUse.stream()
                            .filter(view -> view.kind() == resourceKind && view.holders() > 0)
                            .filter(view -> view.key().namespace().equals(Namespace.DEFAULT))
                            .toList();
            List<HolderView> holders = holders(engine, resourceKind, now);
            int holds = held.stream().mapToInt(ResourceView::holders).sum();
            HeldCounts count = engine.views().countHeld(Namespace.DEFAULT, resourceKind);
            if (!count.equals(new HeldCounts(held.size(), holds))
                    || holders.size() != held.size()) {
                fail("held of %s: %s, counted %s, listed %s", resourceKind, held, count, holders);
            }
            Set<Long> fences = new HashSet<>();
            for (int i = 0; i < held.size(); i++) { // both in order of creation
                ResourceView view = held.get(i);
                HolderView holder = holders.get(i);
                require(holder.key().equals(view.key()), "is held", view);
                require(holder.sessions().size() == view.holders(), "has its holders", view);
                require(holder.sessions().getFirst() == view.owner(), "has one owner", view);
                require(
                        holder.equals(engine.views().holders(resourceKind, view.key())),
                        "has one view",
                        view);
                require(fences.add(holder.since()), "is held since a time of its own", view);
            }
        }
    }

    public static List<HolderView> holders(LockEngine engine, ResourceKind resourceKind, long now) {
        KeyScan<HolderView> keyScan = engine.views().listHolders(Namespace.DEFAULT, resourceKind);
        List<HolderView> holders = new ArrayList<>();
        while (keyScan.next(1_000, now, holders)) {}
        return holders;
    }

    private static void require(boolean truth, String invariant, ResourceView view) {
        if (!truth) {
            fail("violated: a key %s, but %s", invariant, view);
        }
    }
}
