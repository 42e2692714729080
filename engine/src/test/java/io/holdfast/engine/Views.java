package io.holdfast.engine;

import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What an engine shows of itself, read in one go, and what must be true of it at any time. */
record Views(List<ResourceView> inUse, List<ResourceView> idle) {
    static Views of(LockEngine engine, long now) {
        return new Views(read(engine.listInUse(), now), read(engine.listIdle(), now));
    }

    private static List<ResourceView> read(Listing<ResourceView> listing, long now) {
        List<ResourceView> views = new ArrayList<>();
        while (listing.next(1_000, now, views)) {}
        return views;
    }

    List<ResourceView> all() {
        List<ResourceView> all = new ArrayList<>(inUse);
        all.addAll(idle);
        return all;
    }

    /** How many holds and waits there are. */
    long pieces() {
        return inUse.stream().mapToLong(view -> view.holders() + (long) view.waiters()).sum();
    }

    /** Checks all that can be checked without knowing what was asked before. */
    void check() {
        Set<List<Object>> names = new HashSet<>();
        for (ResourceView view : all()) {
            require(names.add(List.of(view.kind(), view.key())), "is listed once", view);
            require(view.holders() <= view.limit(), "has no more holders than slots", view);
            require(
                    view.waiters() == 0 || view.holders() == view.limit(),
                    "has nobody waiting for a free slot",
                    view);
            require(view.idleNanos() >= 0, "was active in the past", view);
            require(view.leaseLeftNanos() >= 0, "has no less than nothing left", view);
        }
        for (ResourceView view : inUse) {
            require(view.holders() > 0, "is in use because it is held", view);
        }
        for (ResourceView view : idle) {
            require(view.holders() == 0 && view.waiters() == 0, "is idle", view);
        }
    }

    private static void require(boolean truth, String promise, ResourceView view) {
        if (!truth) {
            fail("broken promise: a key %s, but %s", promise, view);
        }
    }
}
