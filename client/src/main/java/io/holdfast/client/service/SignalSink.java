package io.holdfast.client.service;

/** Where signals go; calls come one after the other and must not block. */
public interface SignalSink {
    void signal(String channel, String payload);

    /** The connection was lost and listened to again: signals may be missing. */
    void gap();
}
