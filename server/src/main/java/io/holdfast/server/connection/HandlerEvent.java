package io.holdfast.server.connection;

/** What a handler is notified of apart from requests and effects. */
public enum HandlerEvent {
    /** The socket can be written to again, or an iteration of the event loop begins. */
    WRITABLE,
    /**
     * No further request will come, and none is being served; {@link Connection#rest} may be an
     * incomplete one. Repeated until the connection finishes.
     */
    END_OF_INPUT,
    /**
     * The server shuts down, and no request is being served. Repeated until the connection
     * finishes.
     */
    DRAINING,
    /** The client took longer than the read timeout. */
    READ_TIMEOUT,
    /** The last responses are about to be written. */
    FINISHING
}
