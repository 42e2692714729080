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
record TopQuery(TopView view, int sort, boolean reversed, String filter, int offset, int rows) {
    /** The most that a server passes over. */
    static final int MAX_OFFSET = 100_000;

    TopView.Sort sorting() {
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

    TopQuery in(TopView other) {
        return other == view ? this : new TopQuery(other, 0, false, filter, 0, rows);
    }

    TopQuery nextSort() {
        return new TopQuery(view, sort + 1, false, filter, 0, rows);
    }

    TopQuery reverse() {
        return new TopQuery(view, sort, !reversed, filter, 0, rows);
    }

    TopQuery filtered(String text) {
        return new TopQuery(view, sort, reversed, text, 0, rows);
    }

    TopQuery from(int first) {
        return new TopQuery(view, sort, reversed, filter, Math.clamp(first, 0, MAX_OFFSET), rows);
    }

    TopQuery ofRows(int count) {
        return new TopQuery(view, sort, reversed, filter, offset, count);
    }
}
