package io.holdfast.server.connection;

import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

/** Where a connection gets the effects of its sessions from, in order. */
@FunctionalInterface
public interface EffectSource {
    /** The next effect; null if there is none. */
    @Nullable Effect poll();
}
