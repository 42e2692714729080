package io.holdfast.http.web;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.LogThrottle;
import io.holdfast.engine.Namespace;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** All routes, and the dispatch of requests to them. */
public final class ApiRouter {
    private static final Logger LOG = LoggerFactory.getLogger(ApiRouter.class);
    private static final LogThrottle AUTH_FAILURES = new LogThrottle();
    private static final LogThrottle AUTH_REFUSALS = new LogThrottle();
    private static final long AUTH_PAUSE_MILLIS = 100;
    private static final int MAX_PAUSING = 1_000;
    private static final int MAX_DEPTH = 8;
    private static final Set<String> UNLIMITED = Set.of("/health", "/ready");
    private static final String EXCHANGE = "exchange";
    private static final String ALLOWED = "allowed";
    private static final String TEMPLATE = "template";

    /** The status in metrics of requests whose client went away before the response. */
    private static final int CLIENT_GONE = 499;

    /** The path in metrics of requests without a route. */
    public static final String UNMATCHED = "unmatched";

    /** Notified of every completed request. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Called on the event loop when a request is completed.
         *
         * @param template of the route, or {@link #UNMATCHED}
         * @param nanos the response time
         */
        void completed(HttpMethod method, String template, int status, long nanos);
    }

    private final OriginGuard originGuard;
    private final RateLimit rateLimit;
    private final HttpConnections httpConnections;
    private final AuthFailures authFailures;
    private final HttpContext httpContext;
    private final Vertx vertx;
    private final BodyReader bodyReader;
    private final List<Route> routes = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();

    /** Number of requests with a wrong or missing secret whose response is being delayed. */
    private int pausing;

    private int depth;

    public ApiRouter(
            HttpContext httpContext,
            Vertx vertx,
            OriginGuard originGuard,
            RateLimit rateLimit,
            HttpConnections httpConnections,
            AuthFailures authFailures) {
        this.authFailures = authFailures;
        this.originGuard = originGuard;
        this.rateLimit = rateLimit;
        this.httpConnections = httpConnections;
        this.httpContext = httpContext;
        this.vertx = vertx;
        this.bodyReader = new BodyReader(vertx, Runtime.getRuntime().maxMemory() / 8);
    }

    /**
     * Adds a route. {@code HEAD} is served wherever {@code GET} is.
     *
     * @param template a path; a segment in braces matches any segment
     */
    public void add(
            HttpMethod method,
            String template,
            RoutePermission routePermission,
            RouteHandler routeHandler) {
        routes.add(new Route(method, template, routePermission, routeHandler));
    }

    public List<Route> routes() {
        return List.copyOf(routes);
    }

    /** Adds a listener, which is called on the event loop. */
    public void watch(Listener listener) {
        listeners.add(listener);
    }

    /**
     * Serves the requests to one address.
     *
     * @param loopback whether it is a loopback address
     */
    public void serve(HttpServer server, Namespace namespace, boolean loopback) {
        Router router = router(namespace, loopback);
        server.requestHandler(request -> admit(router, request));
    }

    /**
     * Delays a request whose secret may be a guess. A connection that has sent the right secret is
     * not delayed because of other clients at its address.
     */
    private void admit(Router router, HttpServerRequest request) {
        if (!httpContext.access().hasCandidate(request)
                || httpConnections.isTrusted(request.connection())) {
            route(router, request);
            return;
        }
        String address = HttpExchange.addressOf(request);
        if (!authFailures.isSlowed(address) || needsNothing(request)) {
            route(router, request);
            return;
        }
        if (!authFailures.beginDelay(address)) {
            AUTH_REFUSALS
                    .next(LOG.atWarn())
                    .addKeyValue("remote", address)
                    .log("HTTP connection closed: too many wrong secrets from its address");
            request.connection().close();
            return;
        }
        request.pause();
        vertx.setTimer(
                AuthFailures.DELAY_MILLIS,
                _ -> {
                    authFailures.endDelay(address);
                    if (!request.response().closed()) {
                        route(router, request);
                        request.resume();
                    }
                });
    }

    /**
     * Whether the response does not depend on the secret. Only fixed paths are checked, so a file
     * of the dashboard may be delayed.
     */
    private boolean needsNothing(HttpServerRequest request) {
        HttpMethod method = request.method();
        return (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD))
                && routes.stream()
                        .filter(route -> route.need() == RoutePermission.NOTHING)
                        .filter(route -> route.method().equals(HttpMethod.GET))
                        .anyMatch(route -> route.template().equals(request.path()));
    }

    /**
     * Pipelined requests are dispatched recursively from the completion of the previous one: beyond
     * a depth, the event loop continues in a new task.
     */
    private void route(Router router, HttpServerRequest request) {
        if (depth >= MAX_DEPTH) {
            request.pause();
            httpContext.runOnEventLoop(
                    () -> {
                        route(router, request);
                        request.resume();
                    });
            return;
        }
        depth++;
        try {
            router.handle(request);
        } finally {
            depth--;
        }
    }

    private Router router(Namespace namespace, boolean loopback) {
        Router router = Router.router(vertx);
        router.route().handler(context -> begin(context, namespace, loopback));
        byTemplate()
                .forEach(
                        (template, methods) ->
                                router.route(template.replaceAll("\\{(\\w+)}", ":$1"))
                                        .useNormalizedPath(false)
                                        .handler(context -> choose(context, template, methods)));
        router.route().handler(this::unmatched);
        router.route().failureHandler(context -> failed(context, namespace));
        return router;
    }

    /** Routes in order of specificity: fixed segments match before placeholders. */
    private Map<String, Map<HttpMethod, Route>> byTemplate() {
        Map<String, Map<HttpMethod, Route>> found = new LinkedHashMap<>();
        routes.stream()
                .sorted(Comparator.comparing(route -> route.template().replace('{', '~')))
                .forEach(
                        route -> {
                            Map<HttpMethod, Route> methods =
                                    found.computeIfAbsent(
                                            route.template(), _ -> new LinkedHashMap<>());
                            methods.put(route.method(), route);
                            if (route.method().equals(HttpMethod.GET)) {
                                methods.put(HttpMethod.HEAD, route);
                            }
                        });
        return found;
    }

    private void begin(RoutingContext context, Namespace namespace, boolean loopback) {
        HttpServerRequest request = context.request();
        if (!httpConnections.began(request.connection())) {
            return; // the connection is closing after an earlier response
        }
        HttpExchange httpExchange =
                new HttpExchange(httpContext, httpConnections, request, namespace);
        context.put(EXCHANGE, httpExchange);
        long since = System.nanoTime();
        context.addEndHandler(
                end -> {
                    if (end.failed()) {
                        httpExchange.gone();
                    }
                    boolean clientLeft = end.failed() && !context.response().headWritten();
                    completed(
                            context,
                            clientLeft ? CLIENT_GONE : context.response().getStatusCode(),
                            since);
                    httpConnections.completed(request.connection());
                });
        try {
            if (originGuard.check(request, loopback)) {
                httpExchange.noContent();
                return;
            }
            if (!UNLIMITED.contains(request.path())
                    && !rateLimit.tryAcquire(httpExchange.address())) {
                context.response().putHeader("Retry-After", "1");
                throw new HttpProblem(429, "rate_limited", "this address sends too many requests");
            }
            httpExchange.checkTarget();
        } catch (HttpProblem httpProblem) {
            httpExchange.fail(httpProblem);
            return;
        }
        context.next();
    }

    /**
     * Handles failures of the router, which refuses some requests before they reach {@link #begin}.
     */
    private void failed(RoutingContext context, Namespace namespace) {
        HttpExchange known = context.get(EXCHANGE);
        HttpExchange httpExchange =
                known == null
                        ? new HttpExchange(
                                httpContext, httpConnections, context.request(), namespace)
                        : known;
        boolean malformed = context.statusCode() >= 400 && context.statusCode() < 500;
        httpExchange.failed(
                malformed
                        ? HttpProblem.badRequest("this is not well-formed HTTP")
                        : context.failure());
    }

    private void completed(RoutingContext context, int status, long since) {
        String template = context.get(TEMPLATE, UNMATCHED);
        long nanos = System.nanoTime() - since;
        for (Listener listener : listeners) {
            listener.completed(context.request().method(), template, status, nanos);
        }
    }

    private static HttpExchange exchange(RoutingContext context) {
        return Objects.requireNonNull(context.get(EXCHANGE));
    }

    private void choose(RoutingContext context, String template, Map<HttpMethod, Route> methods) {
        AccessRole accessRole = httpConnections.roleOf(context.request());
        if (accessRole == AccessRole.OPEN
                && !httpContext.access().isAdmin(accessRole)
                && methods.values().stream().allMatch(it -> it.need() == RoutePermission.ADMIN)) {
            context.next(); // without a secret the admin routes do not exist
            return;
        }
        context.put(TEMPLATE, template);
        Route route = methods.get(context.request().method());
        if (route == null) {
            TreeSet<String> allowed = context.get(ALLOWED, new TreeSet<>());
            methods.keySet().forEach(method -> allowed.add(method.name()));
            context.put(ALLOWED, allowed);
            context.next();
            return;
        }
        HttpExchange httpExchange = exchange(context);
        if (accessRole == null && route.need() != RoutePermission.NOTHING) {
            refuse(context, httpExchange);
            return;
        }
        // Only where a wrong secret would be counted as a failure does the right one make the
        // connection trusted.
        if (accessRole != null
                && accessRole != AccessRole.OPEN
                && route.need() != RoutePermission.NOTHING) {
            httpConnections.trust(context.request().connection(), true);
        }
        AccessRole by = accessRole == null ? AccessRole.READ : accessRole;
        httpExchange.matched(route, by);
        if (!httpContext.access().allows(by, route.need())) {
            httpExchange.fail(
                    new HttpProblem(
                            403,
                            "forbidden",
                            "this requires the secret; the read-only token permits reading only"));
            return;
        }
        serve(context.request(), httpExchange, route);
    }

    private void serve(HttpServerRequest request, HttpExchange httpExchange, Route route) {
        bodyReader.read(
                httpExchange,
                request,
                new BodyReader.BodyConsumer() {
                    @Override
                    public void read(Buffer body) {
                        httpExchange.body(body);
                        try {
                            route.handler().handle(httpExchange);
                        } catch (HttpProblem | RuntimeException e) {
                            httpExchange.failed(e);
                        } finally {
                            httpExchange.forgetBody();
                        }
                        if (!request.response().ended()) {
                            httpConnections.read(request.connection());
                        }
                    }

                    @Override
                    public void failed(HttpProblem httpProblem) {
                        httpExchange.fail(httpProblem);
                    }
                });
    }

    private void refuse(RoutingContext context, HttpExchange httpExchange) {
        if (httpContext.access().hasCandidate(context.request())) {
            httpConnections.trust(context.request().connection(), false);
            authFailures.failed(httpExchange.address());
            AUTH_FAILURES
                    .next(LOG.atWarn())
                    .addKeyValue("remote", httpExchange.address())
                    .log("HTTP authentication failed");
        }
        if (pausing >= MAX_PAUSING) {
            context.request().connection().close();
            return;
        }
        pausing++;
        vertx.setTimer(
                AUTH_PAUSE_MILLIS,
                _ -> {
                    pausing--;
                    context.response().putHeader("WWW-Authenticate", "Bearer");
                    httpExchange.fail(
                            new HttpProblem(401, "unauthorized", "the secret is wrong or missing"));
                });
    }

    private void unmatched(RoutingContext context) {
        HttpExchange httpExchange = exchange(context);
        if (httpConnections.roleOf(context.request()) == null) {
            refuse(context, httpExchange);
            return;
        }
        @Nullable TreeSet<String> allowed = context.get(ALLOWED);
        if (allowed == null) {
            httpExchange.fail(HttpProblem.notFound());
        } else {
            context.response().putHeader("Allow", String.join(", ", allowed));
            httpExchange.fail(
                    new HttpProblem(
                            405,
                            "method_not_allowed",
                            "this path supports " + String.join(", ", allowed)));
        }
    }
}
