package io.holdfast.server.connection;

/** What the server tells its connections, as a user event of their pipelines. */
public enum PipelineEvent {
    /** The server is shutting down: finish soon. */
    DRAIN
}
