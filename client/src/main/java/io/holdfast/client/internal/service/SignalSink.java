package io.holdfast.client.internal.service;

/** Receives signals; calls are serialized and must not block. */
public interface SignalSink {
    void signal(String channel, String payload);

    /** The connection was lost and the subscription restored: signals may have been missed. */
    void gap();
}
