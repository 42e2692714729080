package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** What is held of one namespace and kind, counted, and who waits for it. */
final class UsageCounters {
    int keys;
    int holds;
    int waits;

    private @Nullable Waiter oldest;
    private @Nullable Waiter youngest;

    /** A wait has begun, after all others. */
    void add(Waiter waiter) {
        waiter.older = youngest;
        if (youngest == null) {
            oldest = waiter;
        } else {
            youngest.younger = waiter;
        }
        youngest = waiter;
        waits++;
    }

    void remove(Waiter waiter) {
        Waiter older = waiter.older;
        Waiter younger = waiter.younger;
        if (older == null) {
            oldest = younger;
        } else {
            older.younger = younger;
        }
        if (younger == null) {
            youngest = older;
        } else {
            younger.older = older;
        }
        waiter.older = null;
        waiter.younger = null;
        waits--;
    }

    /** Visits the waits, those that last longest first, until the visitor returns false. */
    void eachWait(Predicate<Waiter> viewer) {
        Waiter waiter = oldest;
        while (waiter != null && viewer.test(waiter)) {
            waiter = waiter.younger;
        }
    }

    /** To be called when waits were added that had not begun in that order. */
    void sortWaits() {
        List<Waiter> all = new ArrayList<>(waits);
        while (oldest != null) {
            all.add(oldest);
            remove(oldest);
        }
        all.sort(Comparator.comparingLong(waiter -> waiter.sinceNanos));
        all.forEach(this::add);
    }
}
