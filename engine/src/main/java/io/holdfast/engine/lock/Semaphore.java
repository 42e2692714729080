package io.holdfast.engine.lock;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Admits as many holders as its limit, which the first request for the key sets. */
final class Semaphore extends Resource {
    private final long limit;

    /** The holds by fence, in order of grant. */
    private final Map<Long, Hold> holds = new LinkedHashMap<>(4);

    Semaphore(Key key, long limit, UsageCounters usage) {
        super(key, usage);
        this.limit = limit;
    }

    @Override
    ResourceKind kind() {
        return ResourceKind.SEMAPHORE;
    }

    @Override
    long limit() {
        return limit;
    }

    @Override
    boolean hasFreeSlot() {
        return holds.size() < limit;
    }

    @Override
    int holders() {
        return holds.size();
    }

    @Override
    @Nullable Hold find(long fence) {
        return holds.get(fence);
    }

    @Override
    @Nullable Hold holdOf(long session) {
        Hold found = null;
        for (Hold hold : holds.values()) {
            if (hold.session.id == session) {
                found = hold;
            }
        }
        return found;
    }

    @Override
    void add(Hold hold) {
        holds.put(hold.fence, hold);
    }

    @Override
    void remove(Hold hold) {
        holds.remove(hold.fence);
    }

    @Override
    Collection<Hold> holds() {
        return holds.values();
    }
}
