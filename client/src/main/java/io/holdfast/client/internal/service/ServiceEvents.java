package io.holdfast.client.internal.service;

/** Receives the changes of the connection to a service. Calls are serialized and must not block. */
public interface ServiceEvents {
    /** Sets the server address that the following events refer to. */
    default void server(String address) {}

    void connected();

    /** The connection was lost; it is unknown whether the session survives. */
    void suspended();

    /** The session was resumed. */
    void restored();

    /** The session and all its holds are lost. */
    void lost();

    /** Reconnected with a new session. */
    void reconnected();
}
