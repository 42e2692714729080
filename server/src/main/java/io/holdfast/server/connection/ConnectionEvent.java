package io.holdfast.server.connection;

/** What the server tells its connections, as a user event of their pipelines. */
public enum ConnectionEvent {
    /** The server is shutting down: finish soon. */
    DRAIN
}
