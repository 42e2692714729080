package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.protocol.RequestDecoder;
import io.holdfast.protocol.lockd.LockdDecoderResult;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.HandlerEvent;
import io.holdfast.server.connection.ProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;

import org.jspecify.annotations.Nullable;

/** lockd on a WebSocket: each message is a command, and its response is one message. */
public final class LockdWebSocketHandler implements ProtocolHandler<WebSocketInput> {
    private final Connection<WebSocketInput> connection;
    private final WebSocketDecoder decoder;
    private final WebSocketFraming framing;
    private final LockdCommands commands;
    private boolean closeSent;

    private LockdWebSocketHandler(
            Connection<WebSocketInput> connection, LockdService service, LockdOptions options) {
        this.connection = connection;
        this.decoder = new WebSocketDecoder(connection.context(), service);
        this.framing = new WebSocketFraming(connection);
        this.commands = new LockdCommands(connection, service, options, framing);
    }

    /** A new connection, to be added to a pipeline after the handshake. */
    public static Connection<?> connection(LockdService service, LockdOptions options) {
        return new Connection<WebSocketInput>(
                service, opened -> new LockdWebSocketHandler(opened, service, options));
    }

    @Override
    public RequestDecoder<WebSocketInput> decoder() {
        return decoder;
    }

    @Override
    public void serve(WebSocketInput next) {
        switch (next) {
            case WebSocketInput.Message(LockdDecoderResult.Command command) ->
                    commands.serve(command);
            case WebSocketInput.Message _ -> commands.serveInvalid();
            case WebSocketInput.Ping(ByteString payload) -> framing.pong(payload);
            case WebSocketInput.Close() -> close(WebSocketCloseStatus.NORMAL_CLOSURE.code());
            case WebSocketInput.Violation(int status) -> close(status);
        }
    }

    private void close(int status) {
        sendClose(status);
        connection.finish();
    }

    /** Sends a close frame, unless one has been sent. */
    private void sendClose(int status) {
        if (!closeSent) {
            closeSent = true;
            framing.close(status);
        }
    }

    @Override
    public void effect(Command.@Nullable Keyed command, Effect effect) {
        commands.effect(command, effect);
    }

    @Override
    public void on(HandlerEvent event) {
        if (event == HandlerEvent.FINISHING) {
            sendClose(WebSocketCloseStatus.ENDPOINT_UNAVAILABLE.code());
        } else {
            commands.on(event);
        }
    }

    @Override
    public void closed(long lastResponded, Runnable released) {
        commands.closed(lastResponded, released);
        decoder.dropFragments();
    }
}
