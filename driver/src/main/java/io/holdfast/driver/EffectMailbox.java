package io.holdfast.driver;

import io.holdfast.engine.Effect;

/** Where a session's effects arrive. */
public interface EffectMailbox {
    /** Takes an effect, in engine order. Called under a lock: must be quick and call nothing. */
    void add(Effect effect);

    /**
     * A command that was not applied when it was submitted has been, and has no answer so far: it
     * waits in line, or there was nothing for it to do. Called like {@link #add}, in order with it.
     */
    default void onPending(long request) {}

    /** Tells that effects were added; called after the lock is free. */
    void wake();

    /**
     * An operator wants the session to end: its owner closes it. Called on any thread.
     *
     * @return false if its owner cannot do without it
     */
    default boolean kick() {
        return false;
    }
}
