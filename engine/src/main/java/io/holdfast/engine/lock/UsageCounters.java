package io.holdfast.engine.lock;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * The number of held keys, holds and waiters of one namespace and kind, and the list of these
 * waiters.
 */
final class UsageCounters {
    int keys;
    int holds;
    int waits;

    private @Nullable Waiter oldest;
    private @Nullable Waiter youngest;

    /** Adds a waiter that is younger than all others. */
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

    /** Visits the waiters, oldest first, until the visitor returns false. */
    void eachWait(Predicate<Waiter> visitor) {
        Waiter waiter = oldest;
        while (waiter != null && visitor.test(waiter)) {
            waiter = waiter.younger;
        }
    }

    /** Restores the order after waiters were added out of order. */
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
