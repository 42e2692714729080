package io.holdfast.client.service;

/** An acquire under way. */
public interface AcquireAttempt {
    /**
     * Gives up. The outcome is still told, exactly once: usually cancelled, but a grant may be
     * under way already.
     */
    void cancel();
}
