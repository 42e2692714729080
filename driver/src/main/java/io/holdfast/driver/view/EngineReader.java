package io.holdfast.driver.view;

import io.holdfast.engine.lock.EngineViews;

import org.jspecify.annotations.Nullable;

/** Reads an engine under its lock. */
public interface EngineReader {
    /** Reads the views at a time of the engine. */
    @FunctionalInterface
    interface Query<T extends @Nullable Object> {
        T read(EngineViews views, long nowNanos);
    }

    <T extends @Nullable Object> T read(Query<T> query);
}
