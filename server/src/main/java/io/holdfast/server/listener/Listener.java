package io.holdfast.server.listener;

/** A bound listener that manages its sockets itself. */
public interface Listener {
    ListenEndpoint endpoint();

    /** Begins to accept connections. */
    void listen() throws StartException;

    /** Stops accepting; may be called again. */
    void stop();
}
