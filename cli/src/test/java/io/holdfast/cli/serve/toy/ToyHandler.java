package io.holdfast.cli.serve.toy;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.protocol.RequestDecoder;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.HandlerEvent;
import io.holdfast.server.connection.ProtocolHandler;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** A connection. */
final class ToyHandler implements ProtocolHandler<String> {
    private final Connection<String> connection;
    private final ToyService service;
    private final ToyOptions options;
    private final LineDecoder decoder = new LineDecoder();

    ToyHandler(Connection<String> connection, ToyService service, ToyOptions options) {
        this.connection = connection;
        this.service = service;
        this.options = options;
    }

    /** Splits the input into lines, without a limit of their length. */
    private static final class LineDecoder implements RequestDecoder<String> {
        private long linesRead;
        private boolean inside;

        @Override
        public @Nullable String decode(ByteBuf in) {
            int length = in.bytesBefore((byte) '\n');
            inside = length < 0 && in.isReadable();
            if (length < 0) {
                return null;
            }
            linesRead++;
            String line = in.readString(length, StandardCharsets.US_ASCII);
            in.skipBytes(1);
            return line;
        }

        @Override
        public long linesRead() {
            return linesRead;
        }

        @Override
        public boolean isInsideRequest() {
            return inside;
        }
    }

    @Override
    public RequestDecoder<String> decoder() {
        return decoder;
    }

    @Override
    public void serve(String line) {
        connection.submit(
                new Command.TryAcquire(
                        connection.session().id(),
                        connection.nextRequest(),
                        ResourceKind.LOCK,
                        Key.of(options.namespace(), line.getBytes(StandardCharsets.US_ASCII)),
                        service.salt()));
    }

    @Override
    public void effect(Command.@Nullable Keyed command, Effect effect) {
        String response = effect instanceof Effect.TryAcquired ? "yours" : "not yours";
        connection
                .out()
                .writeCharSequence(response + options.end() + "\n", StandardCharsets.US_ASCII);
    }

    @Override
    public void on(HandlerEvent event) {
        if (event == HandlerEvent.END_OF_INPUT || event == HandlerEvent.DRAINING) {
            connection.finish();
        }
    }

    @Override
    public void closed(long lastResponded, Runnable released) {
        connection.session().close(lastResponded, released);
    }
}
