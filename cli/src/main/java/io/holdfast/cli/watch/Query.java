package io.holdfast.cli.watch;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What {@code top} wants to see.
 *
 * @param sort which way of sorting of the view
 * @param filter what a name must have in it
 * @param offset how many to pass over
 * @param rows how many to show
 */
record Query(View view, int sort, boolean reversed, String filter, int offset, int rows) {
    /** The most that a server passes over. */
    static final int MOST_OFFSET = 100_000;

    View.Sort sorting() {
        return view.sort(sort);
    }

    boolean isDescending() {
        return sorting().descending() != reversed;
    }

    Map<String, String> parameters() {
        Map<String, String> all = new LinkedHashMap<>();
        if (!filter.isEmpty()) {
            all.put("q", filter);
        }
        all.put("sort", sorting().name());
        all.put("order", isDescending() ? "desc" : "asc");
        all.put("offset", Integer.toString(offset));
        all.put("limit", Integer.toString(Math.max(1, rows)));
        return all;
    }

    Query in(View other) {
        return other == view ? this : new Query(other, 0, false, filter, 0, rows);
    }

    Query nextSort() {
        return new Query(view, sort + 1, false, filter, 0, rows);
    }

    Query reverse() {
        return new Query(view, sort, !reversed, filter, 0, rows);
    }

    Query filtered(String text) {
        return new Query(view, sort, reversed, text, 0, rows);
    }

    Query from(int first) {
        return new Query(view, sort, reversed, filter, Math.clamp(first, 0, MOST_OFFSET), rows);
    }

    Query ofRows(int count) {
        return new Query(view, sort, reversed, filter, offset, count);
    }
}
