package io.holdfast.client.internal.service;

/** An acquire in progress. */
public interface AcquireAttempt {
    /**
     * Cancels the acquire. The outcome is still delivered, exactly once: normally cancelled, but a
     * grant may be in flight already.
     */
    void cancel();
}
