package io.holdfast.driver;

import io.holdfast.engine.Effect;

/** Receives the effects of a session. */
public interface EffectMailbox {
    /**
     * Adds an effect, in engine order. Called under a lock: must be quick and must not call back.
     */
    void add(Effect effect);

    /**
     * A command that was not applied when it was submitted has been applied now without an effect
     * so far: it waits in the queue, or it changed nothing. Called like {@link #add}, in order with
     * it.
     */
    default void onPending(long request) {}

    /** Notifies the owner that effects were added; called after the lock has been released. */
    void wake();

    /**
     * An operator requests the end of the session, which its owner then closes. Called on any
     * thread.
     *
     * @return false if the owner rejects the request
     */
    default boolean kick() {
        return false;
    }
}
