package io.holdfast.engine.lock;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Admits every session, each once. */
final class SharedLock extends Resource {
    /** The holds by session, in order of grant. */
    private final Map<Long, Hold> holds = new LinkedHashMap<>(4);

    SharedLock(Key key, UsageCounters usage) {
        super(key, usage);
    }

    @Override
    ResourceKind kind() {
        return ResourceKind.SHARED;
    }

    @Override
    long limit() {
        return Long.MAX_VALUE;
    }

    @Override
    boolean hasFreeSlot() {
        return true;
    }

    @Override
    int holders() {
        return holds.size();
    }

    /** Always null: the tokens of shared locks are not delivered. */
    @Override
    @Nullable Hold find(long fence) {
        return null;
    }

    @Override
    @Nullable Hold holdOf(long session) {
        return holds.get(session);
    }

    @Override
    void add(Hold hold) {
        holds.put(hold.session.id, hold);
    }

    @Override
    void remove(Hold hold) {
        holds.remove(hold.session.id);
    }

    @Override
    Collection<Hold> holds() {
        return holds.values();
    }
}
