package io.holdfast.http;

import io.holdfast.driver.FailureText;
import io.holdfast.driver.Secret;
import io.holdfast.driver.frontend.ClusterView;
import io.holdfast.driver.frontend.FrontEnd;
import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.http.dashboard.DashboardRoutes;
import io.holdfast.http.data.DataRoutes;
import io.holdfast.http.immediate.SharedImmediateSession;
import io.holdfast.http.inspect.InspectRoutes;
import io.holdfast.http.lock.HttpSessions;
import io.holdfast.http.lock.LockRoutes;
import io.holdfast.http.metrics.HttpFrontEndStatus;
import io.holdfast.http.metrics.HttpTraffic;
import io.holdfast.http.metrics.MetricsRoutes;
import io.holdfast.http.openapi.OpenApiRoutes;
import io.holdfast.http.signal.SignalRoutes;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.Authenticator;
import io.holdfast.http.web.HttpConnections;
import io.holdfast.http.web.HttpContext;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonWriter;
import io.holdfast.http.web.OriginGuard;
import io.holdfast.http.web.RateLimit;
import io.holdfast.http.web.RoutePermission;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.core.metrics.MetricsOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import javax.net.ssl.X509KeyManager;

/** Serves HTTP, on one event loop of its own. */
public final class HttpFrontEnd implements FrontEnd {
    private static final Logger LOG = LoggerFactory.getLogger(HttpFrontEnd.class);
    private static final long CLOSE_SECONDS = 10;

    /** In bytes: enough for a key of the maximum length with every byte percent-encoded. */
    private static final int MAX_LINE = 200 * 1024;

    private static final int MAX_HEADERS = 16 * 1024;
    private static final int HANDSHAKE_SECONDS = 10;
    private static final Set<String> TLS_VERSIONS = Set.of("TLSv1.2", "TLSv1.3");
    private static final long SAMPLE_MILLIS = 1000;

    private final HttpConfig config;
    private final Vertx vertx;
    private final Authenticator authenticator;
    private final HttpContext httpContext;
    private final HttpConnections httpConnections;
    private final ApiRouter apiRouter;
    private final SharedImmediateSession sharedImmediateSession;
    private final HttpSessions sessions;
    private final SignalRoutes signals;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final MetricsRoutes metrics;
    private final List<HttpServer> tlsServers = new ArrayList<>();
    private final List<HttpAddress> addresses = new ArrayList<>();
    private final Set<InetSocketAddress> boundAddresses = new HashSet<>();

    private HttpFrontEnd(HttpConfig config, FrontEndServices frontEndServices) {
        this.config = config;
        this.vertx =
                Vertx.builder()
                        .with(
                                new VertxOptions()
                                        .setEventLoopPoolSize(1)
                                        .setWorkerPoolSize(1)
                                        .setInternalBlockingPoolSize(1)
                                        .setUseDaemonThread(true)
                                        .setDisableTCCL(true)
                                        .setMetricsOptions(new MetricsOptions().setEnabled(true))
                                        .setFileSystemOptions(
                                                new FileSystemOptions()
                                                        .setFileCachingEnabled(false)
                                                        .setClassPathResolvingEnabled(false)))
                        .withMetrics(new HttpTraffic(frontEndServices.monitor().traffic("http")))
                        .build();
        Context loop = vertx.getOrCreateContext();
        this.authenticator = new Authenticator(config.secret(), config.readToken(), config.admin());
        this.httpContext = new HttpContext(frontEndServices, authenticator, loop);
        this.httpConnections =
                new HttpConnections(
                        authenticator,
                        frontEndServices.connectionBudget(),
                        new Http1ServerConfig()
                                .setMaxInitialLineLength(MAX_LINE)
                                .setMaxHeaderSize(MAX_HEADERS),
                        config.maxConnectionsPerAddress());
        this.apiRouter =
                new ApiRouter(
                        httpContext,
                        vertx,
                        new OriginGuard(config.allowedHosts(), config.corsOrigins()),
                        new RateLimit(config.rate(), config.burst(), System::nanoTime),
                        httpConnections,
                        frontEndServices.authFailures());
        this.sharedImmediateSession =
                new SharedImmediateSession(frontEndServices.driver(), httpContext::runOnEventLoop);
        this.sessions =
                new HttpSessions(
                        httpContext,
                        this::unreadyCluster,
                        config.sessionIdle(),
                        config.maxSessions(),
                        config.maxSessionsPerAddress());
        this.signals = new SignalRoutes(httpContext, sessions, config.ping());
        this.metrics =
                new MetricsRoutes(
                        frontEndServices,
                        new HttpFrontEndStatus(
                                config.version(),
                                () -> unready() == null,
                                sessions::open,
                                config.cluster()));
        addRoutes();
        httpContext.runOnEventLoop(
                () -> vertx.setPeriodic(0, SAMPLE_MILLIS, _ -> metrics.sample()));
    }

    private void addRoutes() {
        new LockRoutes(sessions, config.sessionIdle().toSeconds()).addTo(apiRouter);
        new DashboardRoutes().addTo(apiRouter);
        metrics.addTo(apiRouter);
        apiRouter.add(
                HttpMethod.GET,
                "/health",
                RoutePermission.NOTHING,
                httpExchange -> httpExchange.ok(new JsonObject().put("status", "ok")));
        apiRouter.add(
                HttpMethod.GET,
                "/ready",
                RoutePermission.NOTHING,
                httpExchange -> {
                    JsonObject unready = unready();
                    if (unready == null) {
                        httpExchange.ok(new JsonObject().put("status", "ok"));
                    } else {
                        httpExchange.unready(unready);
                    }
                });
        new DataRoutes(sharedImmediateSession).addTo(apiRouter);
        signals.addTo(apiRouter);
        new InspectRoutes(sharedImmediateSession, config.ping()).addTo(apiRouter);
        new OpenApiRoutes(config.secret() != null || config.admin()).addTo(apiRouter);
    }

    /** Why clients should use another server; null if this one is ready. */
    private @Nullable JsonObject unready() {
        if (httpContext.isDraining()) {
            return new JsonObject().put("status", "draining");
        }
        if (!httpContext.isOpen()) {
            return new JsonObject().put("status", "starting");
        }
        String reason = unreadyCluster();
        return reason == null
                ? null
                : new JsonObject().put("status", "unavailable").put("reason", reason);
    }

    /**
     * Why the cluster cannot commit requests of this node; null if it can, or without a cluster.
     */
    private @Nullable String unreadyCluster() {
        Supplier<ClusterView> cluster = config.cluster();
        return cluster == null ? null : cluster.get().unready();
    }

    /**
     * Binds all addresses. The server is not ready before {@link #open}.
     *
     * @param key certificate and private key of the addresses with TLS; null if there are none
     * @throws IOException if an address cannot be bound; its message has the reason
     */
    public static HttpFrontEnd start(
            HttpConfig config, @Nullable X509KeyManager key, FrontEndServices frontEndServices)
            throws IOException {
        HttpFrontEnd front = new HttpFrontEnd(config, frontEndServices);
        try {
            for (HttpAddress address : config.addresses()) {
                front.bind(address, address.tls() ? key : null);
            }
            front.sessions.start(front.vertx);
            front.httpConnections.start(front.vertx);
            return front;
        } catch (IOException | RuntimeException e) {
            front.close();
            throw e;
        }
    }

    private void bind(HttpAddress address, @Nullable X509KeyManager key) throws IOException {
        if (address.tls() && key == null) {
            throw new IOException("cannot listen on " + address + " without a certificate");
        }
        if (address.port() != 0 && !boundAddresses.add(socketAddressOf(address))) {
            throw new IOException("cannot listen on " + address + " twice");
        }
        HttpServerOptions options =
                new HttpServerOptions()
                        .setHost(address.host())
                        .setPort(address.port())
                        .setTcpNoDelay(true)
                        .setTcpKeepAlive(true)
                        .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
                        .setHttp2ClearTextEnabled(false)
                        .setPerFrameWebSocketCompressionSupported(false)
                        .setPerMessageWebSocketCompressionSupported(false)
                        .setUseAlpn(false);
        if (key != null) {
            options.setSsl(true)
                    .setKeyCertOptions(KeyCertOptions.wrap(key))
                    .setEnabledSecureTransportProtocols(TLS_VERSIONS);
        }
        HttpServer server =
                vertx.createHttpServer(options)
                        .connectionHandler(httpConnections::enter)
                        .exceptionHandler(
                                e -> LOG.atDebug().setCause(e).log("HTTP connection failed"))
                        .invalidRequestHandler(HttpFrontEnd::refuseInvalid);
        apiRouter.serve(server, address.namespace(), isLoopback(address));
        if (key != null) {
            tlsServers.add(server);
        }
        try {
            await(onLoop(server::listen));
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(
                    "cannot listen on "
                            + address
                            + ": "
                            + FailureText.ofListening(cause, address.port()),
                    cause);
        }
        addresses.add(address.withPort(server.actualPort()));
    }

    /**
     * Changes the credentials and the certificate for new connections; open connections keep
     * theirs.
     *
     * @param key null to leave TLS unchanged
     * @throws IOException if the certificate cannot be used; nothing has changed then
     */
    public void reload(
            @Nullable Secret secret, @Nullable Secret readToken, @Nullable X509KeyManager key)
            throws IOException {
        if (key != null) {
            ServerSSLOptions tls =
                    new ServerSSLOptions()
                            .setKeyCertOptions(KeyCertOptions.wrap(key))
                            .setEnabledSecureTransportProtocols(TLS_VERSIONS)
                            .setUseAlpn(false)
                            .setSslHandshakeTimeout(HANDSHAKE_SECONDS);
            // All servers get the same options: a key that cannot be used fails at the first one,
            // before anything has changed.
            for (HttpServer server : tlsServers) {
                try {
                    await(onLoop(() -> server.updateSSLOptions(tls, true)));
                } catch (CompletionException e) {
                    Throwable cause = e.getCause() == null ? e : e.getCause();
                    throw new IOException(
                            "cannot use the TLS certificate for HTTP: " + cause.getMessage(),
                            cause);
                }
            }
        }
        authenticator.change(secret, readToken);
    }

    /**
     * Identifies duplicate addresses: two servers of one Vert.x instance that bind the same address
     * would silently share it and take connections in turn.
     */
    private static InetSocketAddress socketAddressOf(HttpAddress address) throws IOException {
        return new InetSocketAddress(InetAddress.getByName(address.host()), address.port());
    }

    private static boolean isLoopback(HttpAddress address) throws IOException {
        return InetAddress.getByName(address.host()).isLoopbackAddress();
    }

    /** Refuses a request that is malformed or too long, and closes the connection. */
    private static void refuseInvalid(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        HttpProblem httpProblem =
                switch (cause) {
                    case HttpProblem known -> known;
                    case TooLongHttpLineException _ ->
                            new HttpProblem(414, "uri_too_long", "the path and query are too long");
                    case TooLongHttpHeaderException _ ->
                            new HttpProblem(431, "headers_too_large", "the headers are too long");
                    case null, default -> HttpProblem.badRequest("this is not well-formed HTTP");
                };
        request.response()
                .setStatusCode(httpProblem.status())
                .putHeader("Content-Type", "application/json")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Connection", "close")
                .end(JsonWriter.toLine(httpProblem.toJson()))
                .onComplete(_ -> request.connection().close());
    }

    /** Runs a task on the event loop. Servers are bound to the event loop on which they start. */
    private <T> CompletableFuture<T> onLoop(Supplier<Future<T>> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        httpContext.runOnEventLoop(
                () ->
                        task.get()
                                .onComplete(
                                        done -> {
                                            if (done.succeeded()) {
                                                result.complete(done.result());
                                            } else {
                                                result.completeExceptionally(done.cause());
                                            }
                                        }));
        return result;
    }

    private static <T> void await(CompletableFuture<T> future) {
        T _ = future.orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS).join();
    }

    /** The addresses with the ports that were bound. */
    public List<HttpAddress> addresses() {
        return List.copyOf(addresses);
    }

    public ApiRouter api() {
        return apiRouter;
    }

    @Override
    public void open() {
        httpContext.open();
    }

    /**
     * An event loop reads its sockets before it runs its timers, so two timers in turn span a whole
     * round.
     */
    @Override
    public void afterInputRead(Runnable done) {
        httpContext.runOnEventLoop(
                () -> vertx.setTimer(1, _ -> vertx.setTimer(1, _ -> done.run())));
    }

    @Override
    public void drain() {
        httpContext.runOnEventLoop(
                () -> {
                    httpContext.endStreams();
                    sessions.drain();
                });
    }

    @Override
    public boolean isDrained() {
        return sessions.open() == 0;
    }

    private Future<Void> endSessions() {
        sessions.close();
        signals.close();
        return Future.succeededFuture();
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        sharedImmediateSession.close();
        metrics.close();
        try {
            await(onLoop(this::endSessions));
            await(vertx.close().toCompletionStage().toCompletableFuture());
        } catch (CompletionException | RejectedExecutionException e) {
            LOG.atWarn()
                    .addKeyValue("error", FailureText.of(e))
                    .log("error while stopping the HTTP server");
        }
    }
}
