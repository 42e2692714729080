package io.holdfast.server.dflockd;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Namespace;
import io.holdfast.protocol.RequestDecoder;
import io.holdfast.protocol.dflockd.DflockdDecoder;
import io.holdfast.protocol.dflockd.DflockdDecoderResult;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.protocol.dflockd.DflockdRequest;
import io.holdfast.protocol.dflockd.TaggedEncoder;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.HandlerEvent;
import io.holdfast.server.connection.ProtocolHandler;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * dflockd as its clients have always spoken it: one request after the other, in the session of the
 * connection. After {@code hello} a {@link TaggedHandler} takes over.
 */
public final class DflockdHandler implements ProtocolHandler<DflockdDecoderResult> {
    private static final Logger LOG = LoggerFactory.getLogger(DflockdHandler.class);

    private final Connection<DflockdDecoderResult> connection;
    private final DflockdService service;
    private final Namespace namespace;
    private final DflockdDecoder decoder;
    private final DflockdResponses responses;
    private final ConnectionSignals signals;
    private final DflockdRequests requests;
    private final TaggedSessionOpening opening;

    /** Whether the session may have holds or waiters: then tagged mode is not available. */
    private boolean sessionUsed;

    private DflockdHandler(
            Connection<DflockdDecoderResult> connection,
            DflockdService service,
            Namespace namespace,
            DflockdDecoder decoder) {
        this.connection = connection;
        this.service = service;
        this.namespace = namespace;
        this.decoder = decoder;
        this.responses = new DflockdResponses(connection, service, false);
        this.signals =
                new ConnectionSignals(
                        connection,
                        service,
                        responses,
                        emitter -> connection.session().openSignals(emitter));
        this.requests = new DflockdRequests(connection, service, namespace, responses, signals);
        this.opening = new TaggedSessionOpening(connection, service);
    }

    /** A new connection, to be added to a pipeline. */
    public static Connection<DflockdDecoderResult> connection(
            DflockdService service, Namespace namespace) {
        return new Connection<>(service, opened -> first(opened, service, namespace));
    }

    private static ProtocolHandler<DflockdDecoderResult> first(
            Connection<DflockdDecoderResult> connection,
            DflockdService service,
            Namespace namespace) {
        DflockdDecoder decoder = new DflockdDecoder(namespace);
        return service.secret() == null
                ? new DflockdHandler(connection, service, namespace, decoder)
                : new AuthenticationHandler(
                        connection,
                        service,
                        decoder,
                        () -> new DflockdHandler(connection, service, namespace, decoder));
    }

    @Override
    public RequestDecoder<DflockdDecoderResult> decoder() {
        return decoder;
    }

    @Override
    public void serve(DflockdDecoderResult next) {
        switch (next) {
            case DflockdDecoderResult.Request(DflockdRequest.Hello hello) -> hello(hello, next);
            case DflockdDecoderResult.Request(var request) -> serve(request);
            case DflockdDecoderResult.LineTooLong() -> {
                DflockdEncoder.error(connection.out());
                connection.finish();
            }
            case DflockdDecoderResult.LooksLikeHttp() -> connection.refuseHttp();
            case DflockdDecoderResult.Tagged _ ->
                    throw new IllegalStateException("a tag before hello");
        }
    }

    private void serve(DflockdRequest request) {
        if (service.draining() && DflockdRequests.isCreating(request)) {
            refuseDraining();
            return;
        }
        long number = connection.nextRequest();
        Command.Keyed command = requests.command(number, request);
        if (command == null) {
            requests.serve(number, request);
        } else {
            sessionUsed |= command instanceof Command.Locking;
            connection.submit(command);
        }
    }

    private void refuseDraining() {
        DflockdEncoder.errorDraining(connection.out());
        connection.finish();
    }

    /**
     * Continues in the tagged session as soon as it is open; until then the request is deferred.
     */
    private void hello(DflockdRequest.Hello hello, DflockdDecoderResult input) {
        if (sessionUsed || signals.isListener()) {
            DflockdEncoder.error(connection.out());
            return;
        }
        if (service.draining() && !opening.isResuming()) {
            refuseDraining();
            return;
        }
        TaggedSession session = opening.attempt(hello);
        if (session == null) {
            connection.defer(input);
            return;
        }
        TaggedEncoder.welcome(
                session.session().id(),
                session.secret(),
                session.graceNanos(),
                service.defaultLeaseNanos,
                service.readTimeoutNanos,
                opening.isResuming(),
                connection.out());
        decoder.expectTags();
        connection.use(new TaggedHandler(connection, service, namespace, decoder, session));
        connection.adopt(session.session(), () -> nextEffect(connection, session));
        connection.deliverEffects(); // those of the time without a connection
    }

    /** The results of signal requests come before what the tagged session has. */
    private static @Nullable Effect nextEffect(Connection<?> connection, TaggedSession session) {
        Effect own = connection.pollEffect();
        return own == null ? session.nextEffect(connection) : own;
    }

    @Override
    public void effect(Command.@Nullable Keyed command, Effect effect) {
        if (command != null) {
            responses.result(command, effect);
        }
    }

    @Override
    public void on(HandlerEvent event) {
        switch (event) {
            case WRITABLE -> signals.writePushes();
            case END_OF_INPUT -> connection.finish();
            case DRAINING -> connection.finishUnlessHolding();
            case READ_TIMEOUT -> {
                LOG.atDebug()
                        .addKeyValue("conn", connection.session().id())
                        .log("connection closed: no complete input within --read-timeout");
                DflockdEncoder.error(connection.out());
                connection.finish();
            }
            case FINISHING -> signals.finish();
        }
    }

    @Override
    public void closed(long lastResponded, Runnable released) {
        opening.close();
        connection.session().close(lastResponded, released);
        signals.close();
    }
}
