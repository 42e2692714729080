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

/** All routes there are, and how a request finds its own. */
public final class Api {
    private static final Logger LOG = LoggerFactory.getLogger(Api.class);
    private static final LogThrottle AUTH_FAILURES = new LogThrottle();
    private static final LogThrottle AUTH_REFUSALS = new LogThrottle();
    private static final long AUTH_PAUSE_MILLIS = 100;
    private static final int MOST_PAUSING = 1_000;
    private static final int MOST_DEPTH = 8;
    private static final Set<String> UNLIMITED = Set.of("/health", "/ready");
    private static final String EXCHANGE = "exchange";
    private static final String ALLOWED = "allowed";
    private static final String TEMPLATE = "template";

    /** What a request is counted as whose client went away before it was answered. */
    private static final int LEFT = 499;

    /** What the path of a request that has no route is counted as. */
    public static final String UNMATCHED = "unmatched";

    /** Told of every request that was answered. */
    @FunctionalInterface
    public interface Listener {
        /**
         * A request has its answer.
         *
         * @param template of the route, or {@link #UNMATCHED}
         */
        void answered(HttpMethod method, String template, int status, long nanos);
    }

    private final Guard guard;
    private final RateLimit rateLimit;
    private final Connections connections;
    private final AuthFailures authFailures;
    private final Web web;
    private final Vertx vertx;
    private final Bodies bodies;
    private final List<Route> routes = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();

    /** Wrong secrets whose senders wait for the answer. */
    private int pausing;

    private int depth;

    public Api(
            Web web,
            Vertx vertx,
            Guard guard,
            RateLimit rateLimit,
            Connections connections,
            AuthFailures authFailures) {
        this.authFailures = authFailures;
        this.guard = guard;
        this.rateLimit = rateLimit;
        this.connections = connections;
        this.web = web;
        this.vertx = vertx;
        this.bodies = new Bodies(vertx, Runtime.getRuntime().maxMemory() / 8);
    }

    /**
     * Adds a route. {@code HEAD} is there wherever {@code GET} is.
     *
     * @param template whose segments in braces take any segment of a path
     */
    public void add(HttpMethod method, String template, Need need, Handler handler) {
        routes.add(new Route(method, template, need, handler));
    }

    public List<Route> routes() {
        return List.copyOf(routes);
    }

    /** Has every answer told to somebody, on the event loop. */
    public void watch(Listener listener) {
        listeners.add(listener);
    }

    /**
     * Serves the requests that come to one address.
     *
     * @param loopback whether only this machine reaches it
     */
    public void serve(HttpServer server, Namespace namespace, boolean loopback) {
        Router router = router(namespace, loopback);
        server.requestHandler(request -> admit(router, request));
    }

    /**
     * Delays a request whose secret may be a guess. A connection over which the right one came is
     * not delayed for what others at its address do.
     */
    private void admit(Router router, HttpServerRequest request) {
        if (!web.access().hasCandidate(request) || connections.isTrusted(request.connection())) {
            route(router, request);
            return;
        }
        String address = Exchange.addressOf(request);
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

    /** Whether its answer does not depend on the secret. A file of the dashboard may be delayed. */
    private boolean needsNothing(HttpServerRequest request) {
        HttpMethod method = request.method();
        return (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD))
                && routes.stream()
                        .filter(route -> route.need() == Need.NOTHING)
                        .filter(route -> route.method().equals(HttpMethod.GET))
                        .anyMatch(route -> route.template().equals(request.path()));
    }

    /** The next of many requests that came at once is taken while the one before is answered. */
    private void route(Router router, HttpServerRequest request) {
        if (depth >= MOST_DEPTH) {
            request.pause();
            web.later(
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

    /** Those with fewer open segments come first. */
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
        if (!connections.began(request.connection())) {
            return; // the answer before said that it was the last
        }
        Exchange exchange = new Exchange(web, connections, request, namespace);
        context.put(EXCHANGE, exchange);
        long since = System.nanoTime();
        context.addEndHandler(
                end -> {
                    if (end.failed()) {
                        exchange.gone();
                    }
                    boolean left = end.failed() && !context.response().headWritten();
                    answered(context, left ? LEFT : context.response().getStatusCode(), since);
                    connections.answered(request.connection());
                });
        try {
            if (guard.check(request, loopback)) {
                exchange.noContent();
                return;
            }
            if (!UNLIMITED.contains(request.path()) && !rateLimit.take(exchange.address())) {
                context.response().putHeader("Retry-After", "1");
                throw new Problem(429, "rate_limited", "this address sends too many requests");
            }
            exchange.checkTarget();
        } catch (Problem problem) {
            exchange.fail(problem);
            return;
        }
        context.next();
    }

    /** The router refuses some requests before anybody sees them. */
    private void failed(RoutingContext context, Namespace namespace) {
        Exchange known = context.get(EXCHANGE);
        Exchange exchange =
                known == null
                        ? new Exchange(web, connections, context.request(), namespace)
                        : known;
        boolean malformed = context.statusCode() >= 400 && context.statusCode() < 500;
        exchange.failed(
                malformed ? Problem.badRequest("this is not well-formed HTTP") : context.failure());
    }

    private void answered(RoutingContext context, int status, long since) {
        String template = context.get(TEMPLATE, UNMATCHED);
        long nanos = System.nanoTime() - since;
        for (Listener listener : listeners) {
            listener.answered(context.request().method(), template, status, nanos);
        }
    }

    private static Exchange exchange(RoutingContext context) {
        return Objects.requireNonNull(context.get(EXCHANGE));
    }

    private void choose(RoutingContext context, String template, Map<HttpMethod, Route> methods) {
        Role role = connections.roleOf(context.request());
        if (role == Role.OPEN
                && !web.access().isAdmin(role)
                && methods.values().stream().allMatch(it -> it.need() == Need.ADMIN)) {
            context.next(); // it does not exist
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
        Exchange exchange = exchange(context);
        if (role == null && route.need() != Need.NOTHING) {
            refuse(context, exchange);
            return;
        }
        // Where a wrong secret would not be counted, the right one does not make a connection
        // trusted.
        if (role != null && role != Role.OPEN && route.need() != Need.NOTHING) {
            connections.trust(context.request().connection(), true);
        }
        Role by = role == null ? Role.READ : role;
        exchange.matched(route, by);
        if (!web.access().allows(by, route.need())) {
            exchange.fail(
                    new Problem(
                            403,
                            "forbidden",
                            "this needs the secret; the read-only token is for looking in"));
            return;
        }
        serve(context.request(), exchange, route);
    }

    private void serve(HttpServerRequest request, Exchange exchange, Route route) {
        bodies.read(
                exchange,
                request,
                new Bodies.Reader() {
                    @Override
                    public void read(Buffer body) {
                        exchange.body(body);
                        try {
                            route.handler().handle(exchange);
                        } catch (Problem | RuntimeException e) {
                            exchange.failed(e);
                        } finally {
                            exchange.forgetBody();
                        }
                        if (!request.response().ended()) {
                            connections.read(request.connection());
                        }
                    }

                    @Override
                    public void failed(Problem problem) {
                        exchange.fail(problem);
                    }
                });
    }

    private void refuse(RoutingContext context, Exchange exchange) {
        if (web.access().hasCandidate(context.request())) {
            connections.trust(context.request().connection(), false);
            authFailures.failed(exchange.address());
            AUTH_FAILURES
                    .next(LOG.atWarn())
                    .addKeyValue("remote", exchange.address())
                    .log("HTTP authentication failed");
        }
        if (pausing >= MOST_PAUSING) {
            context.request().connection().close();
            return;
        }
        pausing++;
        vertx.setTimer(
                AUTH_PAUSE_MILLIS,
                _ -> {
                    pausing--;
                    context.response().putHeader("WWW-Authenticate", "Bearer");
                    exchange.fail(
                            new Problem(401, "unauthorized", "the secret is wrong or missing"));
                });
    }

    private void unmatched(RoutingContext context) {
        Exchange exchange = exchange(context);
        if (connections.roleOf(context.request()) == null) {
            refuse(context, exchange);
            return;
        }
        @Nullable TreeSet<String> allowed = context.get(ALLOWED);
        if (allowed == null) {
            exchange.fail(Problem.notFound());
        } else {
            context.response().putHeader("Allow", String.join(", ", allowed));
            exchange.fail(
                    new Problem(
                            405,
                            "method_not_allowed",
                            "this path takes " + String.join(", ", allowed)));
        }
    }
}
