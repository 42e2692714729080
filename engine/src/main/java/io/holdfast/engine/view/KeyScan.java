package io.holdfast.engine.view;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Reads the keys of an engine in slices, between which commands may be applied. A key that matches
 * during the whole scan is returned exactly once. Must be closed, or read to its end.
 *
 * @param <T> the view of a key
 */
public final class KeyScan<T> {
    /** Returns the view of a key at this moment, or null to skip the key. */
    @FunctionalInterface
    public interface Viewer<E, T> {
        @Nullable T view(E element, long nowNanos);
    }

    /** Marks the position of a reader in the list. */
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

    private final CursorList<?> list;
    private final Viewer<CursorList.Node, T> viewer;
    private final ToIntFunction<T> extra;
    private @Nullable Cursor cursor;

    /** The scan ends here; null if it runs to the end of the list. */
    private final @Nullable Cursor end;

    public <E extends KeyedState> KeyScan(CursorList<E> list, Viewer<E, T> viewer) {
        this(list, viewer, _ -> 0, null);
    }

    /**
     * A scan that omits keys created after it began, so that a key that is dropped and created
     * again meanwhile is not returned twice.
     *
     * @param extra the extra cost of a view, in keys, if it takes longer to read than others
     */
    public <E extends KeyedState> KeyScan(
            CursorList<E> list, Viewer<E, T> viewer, ToIntFunction<T> extra) {
        this(list, viewer, extra, new Cursor());
    }

    private <E extends KeyedState> KeyScan(
            CursorList<E> list, Viewer<E, T> viewer, ToIntFunction<T> extra, @Nullable Cursor end) {
        this.list = list;
        this.viewer =
                (node, now) -> {
                    E element = list.element(node);
                    return element == null ? null : viewer.view(element, now);
                };
        this.extra = extra;
        Cursor start = new Cursor();
        list.addFirst(start);
        this.cursor = start;
        this.end = end;
        if (end != null) {
            list.addLast(end);
        }
    }

    /**
     * Adds the next views to {@code out}, passing at most {@code max} keys; false when there are no
     * more.
     */
    public boolean next(int max, long nowNanos, List<T> out) {
        Cursor current = cursor;
        if (current == null) {
            return false;
        }
        CursorList.Node passed = null;
        CursorList.Node node = current.after();
        for (int i = 0; i < max && node != null && node != end; i++) {
            T view = viewer.view(node, nowNanos);
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
        list.remove(current);
        list.addAfter(passed, current);
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
