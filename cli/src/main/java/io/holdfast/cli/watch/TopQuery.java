package io.holdfast.cli.watch;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The view, order, filter and page that {@code top} shows.
 *
 * @param sort index of the sort order in the view
 * @param filter text that a name must contain
 * @param offset number of rows to skip
 * @param rows number of rows to show
 */
record TopQuery(TopView view, int sort, boolean reversed, String filter, int offset, int rows) {
    /** The maximum offset that a server accepts. */
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
