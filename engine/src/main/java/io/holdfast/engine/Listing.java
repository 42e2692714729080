package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Predicate;

/**
 * Reads the keys of an engine in slices, between which commands may be applied. A key that is of
 * the kind asked for throughout comes exactly once. Must be closed, or read to its end.
 */
public final class Listing {
    /** The place a reader has got to. */
    static final class Marker implements ResourceList.Node {
        private ResourceList.@Nullable Node before;
        private ResourceList.@Nullable Node after;

        @Override
        public ResourceList.@Nullable Node before() {
            return before;
        }

        @Override
        public ResourceList.@Nullable Node after() {
            return after;
        }

        @Override
        public void setBefore(ResourceList.@Nullable Node node) {
            before = node;
        }

        @Override
        public void setAfter(ResourceList.@Nullable Node node) {
            after = node;
        }
    }

    private final LockEngine engine;
    private final ResourceList list;
    private final Predicate<Resource> wanted;
    private @Nullable Marker marker;

    Listing(LockEngine engine, ResourceList list, Predicate<Resource> wanted) {
        this.engine = engine;
        this.list = list;
        this.wanted = wanted;
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
        ResourceList.Node passed = null;
        ResourceList.Node node = place.after();
        for (int i = 0; i < most && node != null; i++) {
            if (node instanceof Resource resource && wanted.test(resource)) {
                out.add(engine.view(resource, nowNanos));
            }
            passed = node;
            node = node.after();
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
