package io.holdfast.http.inspect;

import io.holdfast.driver.view.ScanCursor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * Selects one page of a sorted list without sorting all of it: memory is bounded by the end of the
 * page, however many items are added.
 *
 * @param <T> the type of the items
 */
final class BoundedRanking<T> {
    private final Comparator<? super T> order;
    private final int offset;
    private final int limit;

    /** The best items so far, the last of them at the head. */
    private final PriorityQueue<T> best;

    private long total;

    /**
     * @param offset the number of items to skip
     * @param limit the maximum number of items after those
     */
    BoundedRanking(Comparator<? super T> order, int offset, int limit) {
        this.order = order;
        this.offset = offset;
        this.limit = limit;
        this.best = new PriorityQueue<>(order.reversed());
    }

    void addAll(ScanCursor<T> all, Predicate<? super T> filter) {
        try (ScanCursor<T> scanCursor = all) {
            for (List<T> slice = scanCursor.next(); !slice.isEmpty(); slice = scanCursor.next()) {
                for (T item : slice) {
                    if (filter.test(item)) {
                        add(item);
                    }
                }
            }
        }
    }

    void add(T item) {
        total++;
        best.add(item);
        if (best.size() > offset + limit) {
            best.remove();
        }
    }

    /** The number of items that were added. */
    long total() {
        return total;
    }

    List<T> toList() {
        List<T> all = new ArrayList<>(best);
        all.sort(order);
        return all.subList(Math.min(offset, all.size()), all.size());
    }
}
