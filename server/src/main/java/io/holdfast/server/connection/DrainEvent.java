package io.holdfast.server.connection;

/** User events that the server fires in the pipelines of connections. */
public enum DrainEvent {
    /** The server is shutting down: finish soon. */
    DRAIN
}
