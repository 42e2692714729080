package io.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What an engine shows of itself, read in one go, and what must be true of it at any time. */
record Views(List<ResourceView> inUse, List<ResourceView> idle) {
    static Views of(LockEngine engine, long now) {
        return new Views(read(engine.listInUse(), now), read(engine.listIdle(), now));
    }

    private static List<ResourceView> read(Listing listing, long now) {
        List<ResourceView> views = new ArrayList<>();
        while (listing.next(1_000, now, views)) {}
        return views;
    }

    List<ResourceView> all() {
        List<ResourceView> all = new ArrayList<>(inUse);
        all.addAll(idle);
        return all;
    }

    /** Checks all that can be checked without knowing what was asked before. */
    void check() {
        Set<List<Object>> names = new HashSet<>();
        for (ResourceView view : all()) {
            assertThat(names.add(List.of(view.kind(), view.key())))
                    .as("%s is listed once", view)
                    .isTrue();
            assertThat((long) view.holders()).as("%s", view).isBetween(0L, view.limit());
            assertThat(view.idleNanos()).as("%s", view).isNotNegative();
            if (view.waiters() > 0) {
                assertThat((long) view.holders())
                        .as("nobody waits for a free slot: %s", view)
                        .isEqualTo(view.limit());
            }
        }
        for (ResourceView view : inUse) {
            assertThat(view.holders() + view.waiters()).as("%s", view).isPositive();
        }
        for (ResourceView view : idle) {
            assertThat(view.holders() + view.waiters()).as("%s", view).isZero();
        }
    }
}
