package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Reads the keys of an engine in slices, between which commands may be applied. A key that is in
 * the list throughout comes exactly once. Must be closed, or read to its end.
 */
public final class Listing {
    static final class Marker extends ResourceList.Node {}

    private final LockEngine engine;
    private final ResourceList list;
    private @Nullable Marker marker;

    Listing(LockEngine engine, ResourceList list) {
        this.engine = engine;
        this.list = list;
        Marker start = new Marker();
        list.addFirst(start);
        this.marker = start;
    }

    /** Adds the next keys, passing at most {@code most} of them; false when there are no more. */
    public boolean next(int most, long nowNanos, List<ResourceView> out) {
        Marker place = marker;
        if (place == null) {
            return false;
        }
        ResourceList.Node node = place.next;
        ResourceList.Node passed = null;
        for (int i = 0; i < most && node != null; i++) {
            if (node instanceof Resource resource) {
                out.add(engine.view(resource, nowNanos));
            }
            passed = node;
            node = node.next;
        }
        list.remove(place);
        if (node == null || passed == null) {
            marker = null;
            return false;
        }
        list.addAfter(passed, place);
        return true;
    }

    public void close() {
        if (marker != null) {
            list.remove(marker);
            marker = null;
        }
    }
}
