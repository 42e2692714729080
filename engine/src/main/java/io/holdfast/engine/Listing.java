package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Reads the keys of an engine in slices, between which commands may be applied. A key that is of
 * the kind asked for throughout comes exactly once. Must be closed, or read to its end.
 *
 * @param <T> how one of them is shown
 */
public final class Listing<T> {
    /** Shows one key as it is now, or null to pass over it. */
    @FunctionalInterface
    interface Viewer<T> {
        @Nullable T view(Named named, long nowNanos);
    }

    /** The place a reader has got to. */
    static final class Marker implements Roster.Node {
        private Roster.@Nullable Node before;
        private Roster.@Nullable Node after;

        @Override
        public Roster.@Nullable Node before() {
            return before;
        }

        @Override
        public Roster.@Nullable Node after() {
            return after;
        }

        @Override
        public void setBefore(Roster.@Nullable Node node) {
            before = node;
        }

        @Override
        public void setAfter(Roster.@Nullable Node node) {
            after = node;
        }
    }

    private final Roster list;
    private final Viewer<T> viewer;
    private final ToIntFunction<T> extra;
    private @Nullable Marker marker;

    /** Nothing behind it is read. */
    private final @Nullable Marker end;

    Listing(Roster list, Viewer<T> viewer) {
        this(list, viewer, _ -> 0, null);
    }

    /**
     * One that leaves out keys that are made after it began. So a key that is forgotten and made
     * anew meanwhile is not read twice.
     *
     * @param extra how many more keys one counts for, that takes longer to read than most
     */
    Listing(Roster list, Viewer<T> viewer, ToIntFunction<T> extra) {
        this(list, viewer, extra, new Marker());
    }

    private Listing(Roster list, Viewer<T> viewer, ToIntFunction<T> extra, @Nullable Marker end) {
        this.list = list;
        this.viewer = viewer;
        this.extra = extra;
        Marker start = new Marker();
        list.addFirst(start);
        this.marker = start;
        this.end = end;
        if (end != null) {
            list.addLast(end);
        }
    }

    /** Adds the next keys, passing at most {@code most} of them; false when there are no more. */
    public boolean next(int most, long nowNanos, List<T> out) {
        Marker place = marker;
        if (place == null) {
            return false;
        }
        Roster.Node passed = null;
        Roster.Node node = place.after();
        for (int i = 0; i < most && node != null && node != end; i++) {
            T view = node instanceof Named named ? viewer.view(named, nowNanos) : null;
            if (view != null) {
                out.add(view);
                i += extra.applyAsInt(view);
            }
            passed = node;
            node = node.after();
        }
        if (node == null || node == end || passed == null) {
            close();
            return false;
        }
        list.remove(place);
        list.addAfter(passed, place);
        return true;
    }

    public void close() {
        if (marker != null) {
            list.remove(marker);
            if (end != null) {
                list.remove(end);
            }
            marker = null;
        }
    }
}
