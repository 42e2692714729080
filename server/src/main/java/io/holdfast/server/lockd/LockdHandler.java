package io.holdfast.server.lockd;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.protocol.RequestDecoder;
import io.holdfast.protocol.lockd.LockdDecoder;
import io.holdfast.protocol.lockd.LockdDecoderResult;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.HandlerEvent;
import io.holdfast.server.connection.ProtocolHandler;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

/** lockd on TCP or a Unix socket: each line is a command. */
public final class LockdHandler implements ProtocolHandler<LockdDecoderResult> {
    private final Connection<LockdDecoderResult> connection;
    private final LockdDecoder decoder = new LockdDecoder();
    private final LockdCommands commands;

    private LockdHandler(
            Connection<LockdDecoderResult> connection, LockdService service, LockdOptions options) {
        this.connection = connection;
        this.commands =
                new LockdCommands(connection, service, options, new LineFraming(connection));
    }

    /**
     * A new connection, to be added to a pipeline.
     *
     * @param name the name of the connection; null for its address
     */
    public static Connection<LockdDecoderResult> connection(
            LockdService service, LockdOptions options, @Nullable String name) {
        var connection =
                new Connection<LockdDecoderResult>(
                        service, opened -> new LockdHandler(opened, service, options));
        return name == null ? connection : connection.named(() -> name);
    }

    @Override
    public RequestDecoder<LockdDecoderResult> decoder() {
        return decoder;
    }

    @Override
    public void serve(LockdDecoderResult next) {
        switch (next) {
            case LockdDecoderResult.Command command -> commands.serve(command);
            case LockdDecoderResult.Invalid() -> commands.serveInvalid();
            case LockdDecoderResult.LooksLikeHttp() -> connection.refuseHttp();
        }
    }

    @Override
    public void effect(Command.@Nullable Keyed command, Effect effect) {
        commands.effect(command, effect);
    }

    @Override
    public void on(HandlerEvent event) {
        if (event == HandlerEvent.END_OF_INPUT) {
            serveLast();
        } else {
            commands.on(event);
        }
    }

    /** A last line without a line end is a command too. */
    private void serveLast() {
        LockdDecoderResult last = decoder.last(connection.rest());
        if (last != null) {
            serve(last);
        }
        if (connection.isReady()) {
            connection.finish();
        } // else when its response is written
    }

    @Override
    public void closed(long lastResponded, Runnable released) {
        commands.closed(lastResponded, released);
    }

    /** Responses are lines that need no separation. */
    private record LineFraming(Connection<?> connection) implements LockdFraming {
        @Override
        public ByteBuf begin() {
            return connection.out();
        }

        @Override
        public void end(ByteBuf response) {}

        @Override
        public void beginLong(long length, ByteBuf out) {}
    }
}
