package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.Signal;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.server.connection.Connection;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/** What one connection listens to and emits. Confined to the event loop. */
final class ConnectionSignals implements SignalEmitter {
    /**
     * This number of bytes of a signal costs one unit of the work budget; each recipient costs one
     * too.
     */
    private static final int BYTES_PER_COST = 128;

    /** This number of examined registrations costs one unit of the work budget. */
    private static final int EXAMINED_PER_COST = 16;

    private final Connection<?> connection;
    private final DflockdService service;
    private final DflockdResponses responses;
    private final Function<SignalEmitter, SignalClient> open;

    /** Null until the connection uses signals. */
    private @Nullable SignalClient client;

    /** Null until the connection listens. */
    private @Nullable PushWriter pushWriter;

    ConnectionSignals(
            Connection<?> connection,
            DflockdService service,
            DflockdResponses responses,
            Function<SignalEmitter, SignalClient> open) {
        this.connection = connection;
        this.service = service;
        this.responses = responses;
        this.open = open;
    }

    /** Whether the client has listened to anything. */
    boolean isListener() {
        return pushWriter != null;
    }

    // ---- requests, each with its number

    void listen(long number, Key pattern, ByteString group) {
        if (!SignalService.isPattern(pattern)) {
            DflockdEncoder.error(responses.begin(number));
            return;
        }
        if (pushWriter == null) {
            pushWriter = new PushWriter(connection, service);
            client().deliverTo(pushWriter.listener());
        }
        respondOrAwait(number, client().listen(number, pattern, group));
    }

    void unlisten(long number, Key pattern, ByteString group) {
        if (pushWriter == null) {
            DflockdEncoder.ok(responses.begin(number));
            return;
        }
        Effect result = client().unlisten(number, pattern, group);
        if (result != null) {
            writePushes(); // earlier signals precede the response
        }
        respondOrAwait(number, result);
    }

    void emit(long number, Key channel, ByteString payload) {
        respondOrAwait(number, client().emit(number, channel, payload));
    }

    private SignalClient client() {
        SignalClient present = client;
        if (present == null) {
            present = open.apply(this);
            client = present;
        }
        return present;
    }

    private void respondOrAwait(long number, @Nullable Effect result) {
        if (result == null) {
            connection.await(number, this::respondLater);
        } else {
            respond(result);
        }
    }

    /** Pushed lines were held back until this response. */
    private void respondLater(Effect result) {
        respond(result);
        writePushes();
    }

    private void respond(Effect result) {
        long number = result.request();
        switch (result) {
            case Effect.Changed _ -> DflockdEncoder.ok(responses.begin(number));
            case Effect.Counted counted ->
                    DflockdEncoder.number(counted.value(), responses.begin(number));
            case Effect.Refused refused -> responses.refuse(number, "signals: " + refused.reason());
            default -> throw new IllegalStateException("unexpected effect of a signal: " + result);
        }
    }

    // ---- an emitted signal

    @Override
    public void examined(int count) {
        connection.cost(count / EXAMINED_PER_COST);
    }

    /** Encodes a signal once for all recipients. */
    @Override
    public Signal create(Key channel, ByteString payload, int recipients) {
        PushLine line =
                new PushLine(
                        connection.context().alloc(),
                        channel,
                        payload,
                        recipients,
                        service.pushBudget);
        connection.cost(recipients + line.length() / BYTES_PER_COST);
        return line;
    }

    // ---- received signals

    /** Writes the signals that have arrived, as long as the connection can take them. */
    void writePushes() {
        if (pushWriter != null) {
            pushWriter.writePushes();
        }
    }

    /** Writes the signals that have arrived so far, but no later ones. */
    void finish() {
        if (client != null) {
            client.stopListening();
        }
        writePushes();
    }

    /** Ends all registrations and discards what is not written. */
    void close() {
        if (pushWriter != null) {
            pushWriter.close();
        }
        if (client != null) {
            client.close();
        }
    }
}
