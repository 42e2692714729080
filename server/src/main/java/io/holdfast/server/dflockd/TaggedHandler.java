package io.holdfast.server.dflockd;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.KeyView;
import io.holdfast.engine.view.TrackedRequestView;
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

import java.util.List;

/**
 * dflockd in tagged mode: many requests in flight, each response with the tag of its request. The
 * tag is the number of the request in the engine too. The session may outlive the connection.
 */
final class TaggedHandler implements ProtocolHandler<DflockdDecoderResult> {
    private static final Logger LOG = LoggerFactory.getLogger(TaggedHandler.class);

    /** Maximum number of requests in flight to the engine. */
    private static final int MAX_IN_FLIGHT = 256;

    /** Maximum number of entries in a response to {@code mine}. */
    private static final int MAX_TRACKED_REQUESTS = 500;

    /** Maximum number of holders in a response to {@code info}. */
    private static final int MAX_HOLDERS = 100;

    /** What reading that many holders costs of the work budget. */
    private static final int HOLDERS_COST = 6;

    /** The tag of responses to what has none, or an invalid one. */
    private static final long NO_TAG = 0;

    private final Connection<DflockdDecoderResult> connection;
    private final DflockdService service;
    private final DflockdDecoder decoder;
    private final TaggedSession session;
    private final DflockdResponses responses;
    private final ConnectionSignals signals;
    private final DflockdRequests requests;

    /**
     * Whether the deferred request is a cancel that was served and whose response follows when the
     * cancelled request has ended.
     */
    private boolean cancelServed;

    TaggedHandler(
            Connection<DflockdDecoderResult> connection,
            DflockdService service,
            Namespace namespace,
            DflockdDecoder decoder,
            TaggedSession session) {
        this.connection = connection;
        this.service = service;
        this.decoder = decoder;
        this.session = session;
        this.responses = new DflockdResponses(connection, service, true);
        this.signals =
                new ConnectionSignals(
                        connection,
                        service,
                        responses,
                        emitter ->
                                service.driver()
                                        .openSignals(
                                                connection.mailbox(),
                                                new ClientInfo("dflockd", connection::name),
                                                emitter)); // not with the session, which may stay
        this.requests = new DflockdRequests(connection, service, namespace, responses, signals);
    }

    @Override
    public RequestDecoder<DflockdDecoderResult> decoder() {
        return decoder;
    }

    // ---- requests

    @Override
    public void serve(DflockdDecoderResult next) {
        int inFlight = session.inFlight();
        if (inFlight > 0 && (inFlight >= MAX_IN_FLIGHT || needsQuiescence(next))) {
            connection.defer(next);
            return;
        }
        switch (next) {
            case DflockdDecoderResult.Tagged(var tag, DflockdRequest.Cancel _)
                    when cancelServed -> {
                cancelServed = false;
                DflockdEncoder.ok(responses.begin(tag));
            }
            case DflockdDecoderResult.Tagged(var tag, var request) -> {
                if (!session.takeTag(tag, connection)) {
                    DflockdEncoder.error(responses.begin(NO_TAG));
                } else if (request instanceof DflockdRequest.Cancel(long target)) {
                    cancel(tag, target, next);
                } else {
                    serve(tag, request);
                }
            }
            case DflockdDecoderResult.LineTooLong() -> {
                DflockdEncoder.error(responses.begin(NO_TAG));
                connection.finish();
            }
            case DflockdDecoderResult.Request _, DflockdDecoderResult.LooksLikeHttp _ ->
                    throw new IllegalStateException("a request without a tag after hello");
        }
    }

    /** Requests that read or end the session wait until earlier ones are applied. */
    private static boolean needsQuiescence(DflockdDecoderResult next) {
        return switch (next) {
            case DflockdDecoderResult.Tagged(_, var request) ->
                    switch (request) {
                        case DflockdRequest.Mine _,
                                DflockdRequest.Describe _,
                                DflockdRequest.Cancel _,
                                DflockdRequest.Stats _,
                                DflockdRequest.Bye _ ->
                                true;
                        case DflockdRequest.Acquire _,
                                DflockdRequest.Enqueue _,
                                DflockdRequest.Await _,
                                DflockdRequest.Release _,
                                DflockdRequest.Renew _,
                                DflockdRequest.Data _,
                                DflockdRequest.Listen _,
                                DflockdRequest.Unlisten _,
                                DflockdRequest.Signal _,
                                DflockdRequest.Ping _,
                                DflockdRequest.Auth _,
                                DflockdRequest.Hello _,
                                DflockdRequest.Malformed _ ->
                                false;
                    };
            case DflockdDecoderResult.LineTooLong _ -> true;
            case DflockdDecoderResult.Request _, DflockdDecoderResult.LooksLikeHttp _ -> false;
        };
    }

    private void cancel(long tag, long target, DflockdDecoderResult input) {
        boolean answered = session.cancel(tag, target, connection);
        connection.deliverEffects();
        if (answered) {
            return;
        }
        if (session.inFlight() == 0) {
            DflockdEncoder.ok(responses.begin(tag));
        } else {
            cancelServed = true;
            connection.defer(input);
        }
    }

    private void serve(long tag, DflockdRequest request) {
        if (service.draining() && DflockdRequests.isCreating(request)) {
            DflockdEncoder.errorDraining(responses.begin(tag));
            return; // the session continues until it holds nothing
        }
        Command.Keyed command = requests.command(tag, request);
        if (command != null) {
            session.submit(command, connection);
            connection.deliverEffects();
            return;
        }
        switch (request) {
            case DflockdRequest.Mine(long after) -> {
                List<TrackedRequestView> tracked =
                        session.session().trackedRequests(after, MAX_TRACKED_REQUESTS);
                connection.cost(tracked.size());
                TaggedEncoder.trackedRequests(tracked, responses.begin(tag));
            }
            case DflockdRequest.Describe(var key) -> describe(tag, key);
            case DflockdRequest.Bye() -> {
                DflockdEncoder.ok(responses.begin(tag));
                session.end(connection);
                connection.finish();
            }
            default -> requests.serve(tag, request);
        }
    }

    private void describe(long tag, Key key) {
        Driver driver = service.driver();
        KeyView lock = driver.queries().view(ResourceKind.LOCK, key, MAX_HOLDERS);
        KeyView semaphore = driver.queries().view(ResourceKind.SEMAPHORE, key, MAX_HOLDERS);
        connection.cost(HOLDERS_COST);
        TaggedEncoder.keyInfo(
                session.session().id(), lock, semaphore, driver::nameOf, responses.begin(tag));
    }

    // ---- effects

    /** Each effect carries the number of the request that it responds to: {@code none} is null. */
    @Override
    public void effect(Command.@Nullable Keyed none, Effect effect) {
        long tag = effect.request();
        Command.Keyed command = session.removeResponded(tag);
        switch (effect) {
            case Effect.Granted _ when command instanceof Command.Cancel ->
                    writeCancelled(tag); // the grant was released before its response
            case Effect.Granted granted ->
                    TaggedEncoder.granted(
                            granted.token(),
                            granted.leaseNanos(),
                            command instanceof Command.Enqueue,
                            responses.begin(tag));
            case Effect.Renewed renewed ->
                    TaggedEncoder.renewed(renewed.leaseNanos(), responses.begin(tag));
            case Effect.Expired _ -> TaggedEncoder.lost(tag, "expired", connection.out());
            case Effect.Revoked _ -> TaggedEncoder.lost(tag, "released", connection.out());
            case Effect.StatusReport statusReport -> {
                if (command instanceof Command.Decline decline) {
                    declined(decline, statusReport);
                }
            }
            case Effect.Cancelled _ -> {
                if (command != null) { // else the response was written for its grant
                    writeCancelled(tag);
                }
            }
            default -> {
                if (command != null) {
                    responses.result(command, effect);
                } else if (effect instanceof Effect.TimedOut) {
                    DflockdEncoder.timeout(
                            responses.begin(tag)); // of a wait that an earlier connection began
                }
            }
        }
    }

    private void declined(Command.Decline decline, Effect.StatusReport statusReport) {
        if (statusReport.status() == OfferRequestStatus.QUEUED) {
            Command.Keyed _ = session.removeResponded(decline.targetRequest());
            writeCancelled(decline.targetRequest());
        }
        if (decline.request() > 0) { // negative: cancelled by the server
            DflockdEncoder.ok(responses.begin(decline.request()));
        }
    }

    private void writeCancelled(long tag) {
        if (service.draining()) {
            DflockdEncoder.errorDraining(responses.begin(tag));
        } else {
            TaggedEncoder.cancelled(responses.begin(tag));
        }
    }

    // ---- the connection

    @Override
    public void on(HandlerEvent event) {
        switch (event) {
            case WRITABLE -> signals.writePushes();
            case END_OF_INPUT -> {
                if (session.inFlight() == 0) {
                    connection.finish();
                }
            }
            case DRAINING -> {
                if (session.inFlight() == 0) {
                    drain();
                }
            }
            case READ_TIMEOUT -> {
                LOG.atDebug()
                        .addKeyValue("conn", connection.session().id())
                        .log("connection closed: no complete input within --read-timeout");
                DflockdEncoder.error(responses.begin(NO_TAG));
                connection.finish();
            }
            case FINISHING -> signals.finish();
        }
    }

    private void drain() {
        session.cancelAll(connection);
        connection.deliverEffects();
        if (session.inFlight() == 0) {
            connection.finishUnlessHolding();
        }
    }

    @Override
    public void closed(long lastResponded, Runnable released) {
        service.tagged().detach(session, connection, connection.context().executor());
        released.run();
        signals.close();
    }
}
