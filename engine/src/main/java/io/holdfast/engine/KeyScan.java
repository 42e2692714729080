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
public final class KeyScan<T> {
    /** Shows one key as it is now, or null to pass over it. */
    @FunctionalInterface
    interface Viewer<T> {
        @Nullable T view(KeyedState keyedState, long nowNanos);
    }

    /** The place a reader has got to. */
    static final class Cursor implements CursorList.Node {
        private CursorList.@Nullable Node before;
        private CursorList.@Nullable Node after;

        @Override
        public CursorList.@Nullable Node before() {
            return before;
        }

        @Override
        public CursorList.@Nullable Node after() {
            return after;
        }

        @Override
        public void setBefore(CursorList.@Nullable Node node) {
            before = node;
        }

        @Override
        public void setAfter(CursorList.@Nullable Node node) {
            after = node;
        }
    }

    private final CursorList list;
    private final Viewer<T> viewer;
    private final ToIntFunction<T> extra;
    private @Nullable Cursor cursor;

    /** Nothing behind it is read. */
    private final @Nullable Cursor end;

    KeyScan(CursorList list, Viewer<T> viewer) {
        this(list, viewer, _ -> 0, null);
    }

    /**
     * One that leaves out keys that are made after it began. So a key that is forgotten and made
     * anew meanwhile is not read twice.
     *
     * @param extra how many more keys one counts for, that takes longer to read than most
     */
    KeyScan(CursorList list, Viewer<T> viewer, ToIntFunction<T> extra) {
        this(list, viewer, extra, new Cursor());
    }

    private KeyScan(
            CursorList list, Viewer<T> viewer, ToIntFunction<T> extra, @Nullable Cursor end) {
        this.list = list;
        this.viewer = viewer;
        this.extra = extra;
        Cursor start = new Cursor();
        list.addFirst(start);
        this.cursor = start;
        this.end = end;
        if (end != null) {
            list.addLast(end);
        }
    }

    /** Adds the next keys, passing at most {@code most} of them; false when there are no more. */
    public boolean next(int most, long nowNanos, List<T> out) {
        Cursor place = cursor;
        if (place == null) {
            return false;
        }
        CursorList.Node passed = null;
        CursorList.Node node = place.after();
        for (int i = 0; i < most && node != null && node != end; i++) {
            T view =
                    node instanceof KeyedState keyedState
                            ? viewer.view(keyedState, nowNanos)
                            : null;
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
        if (cursor != null) {
            list.remove(cursor);
            if (end != null) {
                list.remove(end);
            }
            cursor = null;
        }
    }
}
