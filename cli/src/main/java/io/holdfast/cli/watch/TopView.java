package io.holdfast.cli.watch;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The views of {@code top}. The first sort order is the default. */
enum TopView {
    KEYS(
            List.of(
                    new Sort("waiters", true, "most waiters first"),
                    new Sort("held", true, "longest held first"),
                    new Sort("lease", false, "shortest lease first"),
                    new Sort("key", false, "by key"))),
    CONNECTIONS(
            List.of(
                    new Sort("waits", true, "most waits first"),
                    new Sort("holds", true, "most holds first"),
                    new Sort("open", true, "oldest first"),
                    new Sort("name", false, "by name"),
                    new Sort("connection", false, "by number"))),
    WAITS(
            List.of(
                    new Sort("waited", true, "longest wait first"),
                    new Sort("connection", false, "by number"),
                    new Sort("key", false, "by key")));

    /**
     * A sort order.
     *
     * @param name the name in the HTTP API
     * @param descending whether the largest value comes first, unless reversed
     */
    record Sort(String name, boolean descending, String text) {}

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<Sort> sorts;

    TopView(List<Sort> sorts) {
        this.sorts = sorts;
    }

    /** Returns the sort order with this index, modulo their number. */
    Sort sort(int number) {
        return sorts.get(Math.floorMod(number, sorts.size()));
    }

    /** Returns the index of the sort order with this name. */
    Optional<Integer> numberOf(String sort) {
        for (int i = 0; i < sorts.size(); i++) {
            if (sorts.get(i).name().equals(sort)) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }

    List<String> sortNames() {
        return sorts.stream().map(Sort::name).toList();
    }

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
