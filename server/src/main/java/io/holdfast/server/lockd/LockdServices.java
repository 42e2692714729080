package io.holdfast.server.lockd;

import io.holdfast.engine.Namespace;
import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.ListenScheme;
import io.holdfast.server.listener.ListenerBinder;
import io.holdfast.server.listener.RunningProtocol;
import io.holdfast.server.listener.StartException;
import io.holdfast.server.websocket.OriginPolicy;
import io.holdfast.server.websocket.WebSocketUpgrade;
import io.netty.channel.ChannelPipeline;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** lockd on one server: a service for each namespace, which its listeners share. */
final class LockdServices implements RunningProtocol {
    /** How long one listing may take while another waits for memory. */
    private static final Duration LISTING_TIMEOUT = Duration.ofSeconds(5);

    private final ServerContext server;
    private final ListingBudget listings =
            new ListingBudget(Runtime.getRuntime().maxMemory() / 8, LISTING_TIMEOUT);
    private final OriginPolicy originPolicy;
    private final Map<Namespace, LockdService> services = new HashMap<>();
    private final AtomicLong lastUnixConnection = new AtomicLong();

    LockdServices(ServerContext server) {
        this.server = server;
        this.originPolicy = new OriginPolicy(server.webSocketOrigins());
    }

    @Override
    public void bind(ListenEndpoint endpoint, ListenerBinder binder) throws StartException {
        LockdOptions options = (LockdOptions) endpoint.options();
        LockdService service =
                services.computeIfAbsent(
                        options.namespace(),
                        namespace -> new LockdService(server, namespace, listings));
        binder.bind(endpoint, handlers(endpoint.scheme(), service, options));
    }

    private Consumer<ChannelPipeline> handlers(
            ListenScheme scheme, LockdService service, LockdOptions options) {
        if (scheme.equals(LockdProtocol.WEB_SOCKET)
                || scheme.equals(LockdProtocol.WEB_SOCKET_TLS)) {
            return pipeline ->
                    new WebSocketUpgrade(
                                    originPolicy,
                                    server.handshakeMillis(),
                                    () -> LockdWebSocketHandler.connection(service, options))
                            .addTo(pipeline, server.inputBudget());
        }
        if (scheme.equals(LockdProtocol.UNIX)) {
            return pipeline ->
                    pipeline.addLast(
                            LockdHandler.connection(
                                    service,
                                    options,
                                    "unix:" + lastUnixConnection.incrementAndGet()));
        }
        return pipeline -> pipeline.addLast(LockdHandler.connection(service, options, null));
    }
}
