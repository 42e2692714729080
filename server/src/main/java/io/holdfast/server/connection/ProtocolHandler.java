package io.holdfast.server.connection;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.protocol.RequestDecoder;

import org.jspecify.annotations.Nullable;

/**
 * What the bytes of a connection mean. Called on the connection's event loop only.
 *
 * @param <I> what the protocol decodes from the input
 */
public interface ProtocolHandler<I> {
    /** Decodes the input. The same one for all handlers of a connection. */
    RequestDecoder<I> decoder();

    /** Serves a request: writes its response, submits a command, or defers it. */
    void serve(I request);

    /**
     * Handles an effect of the session.
     *
     * @param command the command in flight, if this is its result; else null
     */
    void effect(Command.@Nullable Keyed command, Effect effect);

    void on(HandlerEvent event);

    /**
     * The connection has ended: ends its session. Called once.
     *
     * @param lastResponded the last request whose response was handed to the socket
     * @param released to be called once, on any thread, when everything that ends with the
     *     connection is released
     */
    void closed(long lastResponded, Runnable released);
}
