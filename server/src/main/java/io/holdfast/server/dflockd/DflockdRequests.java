package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.SignalService;
import io.holdfast.engine.Command;
import io.holdfast.engine.Namespace;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.protocol.dflockd.DflockdRequest;
import io.holdfast.server.connection.Connection;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

/** The requests that mean the same in plain and in tagged mode. Confined to the event loop. */
final class DflockdRequests {
    private final Connection<?> connection;
    private final DflockdService service;
    private final Namespace namespace;
    private final DflockdResponses responses;
    private final ConnectionSignals signals;

    DflockdRequests(
            Connection<?> connection,
            DflockdService service,
            Namespace namespace,
            DflockdResponses responses,
            ConnectionSignals signals) {
        this.connection = connection;
        this.service = service;
        this.namespace = namespace;
        this.responses = responses;
        this.signals = signals;
    }

    /**
     * Whether a request may create a hold, a waiter, a registration or data, which a draining
     * server refuses.
     */
    static boolean isCreating(DflockdRequest request) {
        return switch (request) {
            case DflockdRequest.Acquire _, DflockdRequest.Enqueue _, DflockdRequest.Await _ -> true;
            case DflockdRequest.Data data -> data.operation().mayCreate();
            case DflockdRequest.Listen listen -> SignalService.isPattern(listen.pattern());
            case DflockdRequest.Release _,
                    DflockdRequest.Renew _,
                    DflockdRequest.Unlisten _,
                    DflockdRequest.Signal _,
                    DflockdRequest.Ping _,
                    DflockdRequest.Stats _,
                    DflockdRequest.Auth _,
                    DflockdRequest.Hello _,
                    DflockdRequest.Cancel _,
                    DflockdRequest.Mine _,
                    DflockdRequest.Describe _,
                    DflockdRequest.Bye _,
                    DflockdRequest.Malformed _ ->
                    false;
        };
    }

    /** The command that a request asks for; null if it is not the engine that serves it. */
    Command.@Nullable Keyed command(long number, DflockdRequest request) {
        long session = connection.session().id();
        return switch (request) {
            case DflockdRequest.Acquire(
                            var kind,
                            var key,
                            var limit,
                            var wait,
                            var lease,
                            var attributes) ->
                    new Command.Acquire(
                            session,
                            number,
                            kind,
                            key,
                            limit,
                            wait,
                            lease(lease),
                            service.driver().salt(),
                            attributes);
            case DflockdRequest.Enqueue(var kind, var key, var limit, var lease) ->
                    new Command.Enqueue(
                            session,
                            number,
                            kind,
                            key,
                            limit,
                            lease(lease),
                            service.driver().salt());
            case DflockdRequest.Await(var kind, var key, var wait) ->
                    new Command.Await(session, number, kind, key, wait);
            case DflockdRequest.Release(var kind, var key, var token) ->
                    new Command.Release(session, number, kind, key, token);
            case DflockdRequest.Renew(var kind, var key, var token, var lease) ->
                    new Command.Renew(session, number, kind, key, token, lease(lease));
            case DflockdRequest.Data(var key, var operation) ->
                    new Command.Data(session, number, key, operation);
            case DflockdRequest.Listen _,
                    DflockdRequest.Unlisten _,
                    DflockdRequest.Signal _,
                    DflockdRequest.Ping _,
                    DflockdRequest.Stats _,
                    DflockdRequest.Auth _,
                    DflockdRequest.Hello _,
                    DflockdRequest.Cancel _,
                    DflockdRequest.Mine _,
                    DflockdRequest.Describe _,
                    DflockdRequest.Bye _,
                    DflockdRequest.Malformed _ ->
                    null;
        };
    }

    private long lease(long requested) {
        return requested == DflockdRequest.DEFAULT_LEASE ? service.defaultLeaseNanos : requested;
    }

    /** Serves a request for which there is no command. */
    void serve(long number, DflockdRequest request) {
        switch (request) {
            case DflockdRequest.Listen(var pattern, var group) ->
                    signals.listen(number, pattern, group);
            case DflockdRequest.Unlisten(var pattern, var group) ->
                    signals.unlisten(number, pattern, group);
            case DflockdRequest.Signal(var channel, var payload) ->
                    signals.emit(number, channel, payload);
            case DflockdRequest.Ping() -> DflockdEncoder.ok(responses.begin(number));
            case DflockdRequest.Stats() -> {
                ByteBuf _ = responses.begin(number);
                connection.stream(new StatsStream(connection, service, namespace));
            }
            case DflockdRequest.Malformed() -> responses.refuse(number, "malformed request");
            case DflockdRequest.Auth _,
                    DflockdRequest.Hello _,
                    DflockdRequest.Cancel _,
                    DflockdRequest.Mine _,
                    DflockdRequest.Describe _,
                    DflockdRequest.Bye _ ->
                    DflockdEncoder.error(responses.begin(number)); // not valid in this mode
            case DflockdRequest.Acquire _,
                    DflockdRequest.Enqueue _,
                    DflockdRequest.Await _,
                    DflockdRequest.Release _,
                    DflockdRequest.Renew _,
                    DflockdRequest.Data _ ->
                    throw new IllegalStateException("there is a command for " + request);
        }
    }
}
