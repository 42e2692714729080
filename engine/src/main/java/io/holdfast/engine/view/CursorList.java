package io.holdfast.engine.view;

import org.jspecify.annotations.Nullable;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * A linked list of keyed states that also holds cursors, so that it can be read in slices while it
 * changes.
 */
public final class CursorList<E extends KeyedState> implements Iterable<E> {
    /** An element of the list: the state of a key, or the cursor of a reader. */
    sealed interface Node permits KeyedState, KeyScan.Cursor {
        @Nullable Node before();

        @Nullable Node after();

        void setBefore(@Nullable Node node);

        void setAfter(@Nullable Node node);
    }

    private @Nullable Node first;
    private @Nullable Node last;

    void addFirst(Node node) {
        link(null, node, first);
    }

    public void addLast(Node node) {
        link(last, node, null);
    }

    void addAfter(Node position, Node node) {
        link(position, node, position.after());
    }

    public void remove(Node node) {
        Node before = node.before();
        Node after = node.after();
        if (before == null) {
            first = after;
        } else {
            before.setAfter(after);
        }
        if (after == null) {
            last = before;
        } else {
            after.setBefore(before);
        }
        node.setBefore(null);
        node.setAfter(null);
    }

    /** Null if the node is a cursor. */
    @SuppressWarnings("unchecked") // only elements and cursors are added
    @Nullable E element(Node node) {
        return node instanceof KeyScan.Cursor ? null : (E) node;
    }

    /** Elements may be added meanwhile, but not removed. */
    @Override
    public Iterator<E> iterator() {
        return new Iterator<>() {
            private @Nullable Node last;

            @Override
            public boolean hasNext() {
                return following() != null;
            }

            @Override
            public E next() {
                E next = following();
                if (next == null) {
                    throw new NoSuchElementException();
                }
                last = next;
                return next;
            }

            private @Nullable E following() {
                Node node = last == null ? first : last.after();
                while (node != null) {
                    E element = element(node);
                    if (element != null) {
                        return element;
                    }
                    node = node.after();
                }
                return null;
            }
        };
    }

    private void link(@Nullable Node before, Node node, @Nullable Node after) {
        node.setBefore(before);
        node.setAfter(after);
        if (before == null) {
            first = node;
        } else {
            before.setAfter(node);
        }
        if (after == null) {
            last = node;
        } else {
            after.setBefore(node);
        }
    }
}
