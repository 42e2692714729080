package io.holdfast.http.inspect;

import io.holdfast.driver.ScanCursor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * Some of very many, in order: keeps no more than it has to while it reads.
 *
 * @param <T> what is ranked
 */
final class BoundedRanking<T> {
    private final Comparator<? super T> order;
    private final int offset;
    private final int limit;

    /** The last first. */
    private final PriorityQueue<T> best;

    private long total;

    /**
     * @param offset so many of the first are passed over
     * @param limit so many after them are wanted
     */
    BoundedRanking(Comparator<? super T> order, int offset, int limit) {
        this.order = order;
        this.offset = offset;
        this.limit = limit;
        this.best = new PriorityQueue<>(order.reversed());
    }

    void addAll(ScanCursor<T> all, Predicate<? super T> wanted) {
        try (ScanCursor<T> scanCursor = all) {
            for (List<T> slice = scanCursor.next(); !slice.isEmpty(); slice = scanCursor.next()) {
                for (T item : slice) {
                    if (wanted.test(item)) {
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

    /** How many there are in all. */
    long total() {
        return total;
    }

    List<T> toList() {
        List<T> all = new ArrayList<>(best);
        all.sort(order);
        return all.subList(Math.min(offset, all.size()), all.size());
    }
}
