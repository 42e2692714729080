package io.holdfast.client.service;

/**
 * What happens to the connection with a service. Calls come one after the other and must not block.
 */
public interface ServiceEvents {
    /** From now on events are about a connection with the server at this address. */
    default void server(String address) {}

    void connected();

    /** Not known yet whether the session survives. */
    void suspended();

    /** The session was resumed. */
    void restored();

    /** The session, and all its holds, are lost. */
    void lost();

    /** Connected again with a new session. */
    void reconnected();
}
