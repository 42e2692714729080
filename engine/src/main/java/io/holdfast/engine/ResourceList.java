package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** A list of resources in which places can be marked, so that it can be read in slices. */
final class ResourceList {
    /** Something that stands in a list: a resource, or the place a reader has got to. */
    abstract static sealed class Node permits Resource, Listing.Marker {
        @Nullable Node previous;
        @Nullable Node next;
    }

    @Nullable Node first;
    @Nullable Node last;

    void addLast(Node node) {
        node.previous = last;
        node.next = null;
        if (last == null) {
            first = node;
        } else {
            last.next = node;
        }
        last = node;
    }

    void addFirst(Node node) {
        node.next = first;
        node.previous = null;
        if (first == null) {
            last = node;
        } else {
            first.previous = node;
        }
        first = node;
    }

    void addAfter(Node place, Node node) {
        Node next = place.next;
        node.previous = place;
        node.next = next;
        place.next = node;
        if (next == null) {
            last = node;
        } else {
            next.previous = node;
        }
    }

    void remove(Node node) {
        Node previous = node.previous;
        Node next = node.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next == null) {
            last = previous;
        } else {
            next.previous = previous;
        }
        node.previous = null;
        node.next = null;
    }
}
