package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/**
 * A linked list of keyed states that also holds cursors, so that it can be read in slices while it
 * changes.
 */
final class CursorList {
    /** An element of the list: the state of a key, or the cursor of a reader. */
    sealed interface Node permits KeyedState, KeyScan.Cursor {
        @Nullable Node before();

        @Nullable Node after();

        void setBefore(@Nullable Node node);

        void setAfter(@Nullable Node node);
    }

    private @Nullable Node first;
    private @Nullable Node last;

    @Nullable Node first() {
        return first;
    }

    void addFirst(Node node) {
        link(null, node, first);
    }

    void addLast(Node node) {
        link(last, node, null);
    }

    void addAfter(Node position, Node node) {
        link(position, node, position.after());
    }

    void remove(Node node) {
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
