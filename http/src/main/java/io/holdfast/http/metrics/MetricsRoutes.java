package io.holdfast.http.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.driver.monitor.ContendedKey;
import io.holdfast.engine.view.ResourceKindUsage;
import io.holdfast.http.inspect.JsonFormat;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonWriter;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Locale;

/** Serves metrics to Prometheus and to the dashboard. */
public final class MetricsRoutes implements AutoCloseable {
    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final int POINTS = 300;
    private static final int CONTENDED = 10;

    private final FrontEndServices frontEndServices;
    private final HttpFrontEndStatus httpFrontEndStatus;
    private final HttpRequestMetrics requestMetrics = new HttpRequestMetrics();
    private final RecentHistory recentHistory;
    private final ServerTotals serverTotals;
    private final long sinceNanos = System.nanoTime();

    @GuardedBy("this")
    private @Nullable PrometheusExposition prometheusExposition;

    public MetricsRoutes(FrontEndServices frontEndServices, HttpFrontEndStatus httpFrontEndStatus) {
        this.frontEndServices = frontEndServices;
        this.httpFrontEndStatus = httpFrontEndStatus;
        this.recentHistory = new RecentHistory(frontEndServices);
        this.serverTotals = new ServerTotals(frontEndServices);
    }

    public void addTo(ApiRouter apiRouter) {
        apiRouter.watch(requestMetrics);
        apiRouter.add(HttpMethod.GET, "/metrics", RoutePermission.READ, this::metrics);
        apiRouter.add(HttpMethod.GET, "/v1/overview", RoutePermission.READ, this::overview);
        apiRouter.add(
                HttpMethod.GET,
                "/v1/cluster",
                RoutePermission.READ,
                httpExchange -> httpExchange.ok(ClusterJson.of(httpFrontEndStatus.cluster())));
    }

    /** To be called once a second. */
    public void sample() {
        recentHistory.sample(System.nanoTime());
    }

    private void metrics(HttpExchange httpExchange) {
        httpExchange.runLimited(
                () -> {
                    Buffer text = Buffer.buffer(text());
                    httpExchange.web().runOnEventLoop(() -> httpExchange.respond(200, TEXT, text));
                });
    }

    private synchronized String text() {
        if (prometheusExposition == null) {
            prometheusExposition =
                    new PrometheusExposition(frontEndServices, httpFrontEndStatus, requestMetrics);
        }
        return prometheusExposition.text();
    }

    private void overview(HttpExchange httpExchange) throws HttpProblem {
        int points = httpExchange.queryInt("points", POINTS, 1, RecentHistory.MAX_POINTS);
        String role = httpExchange.role().name().toLowerCase(Locale.ROOT);
        boolean admin = httpExchange.isAdmin();
        httpExchange.offLoop(
                () ->
                        new JsonObject()
                                .put("version", httpFrontEndStatus.version())
                                .put("uptime_s", JsonWriter.seconds(System.nanoTime() - sinceNanos))
                                .put("ready", httpFrontEndStatus.ready().getAsBoolean())
                                .put(
                                        "quarantine_left_s",
                                        JsonFormat.quarantine(frontEndServices.driver()))
                                .put("role", role)
                                .put("admin", admin)
                                .put("cluster", ClusterJson.of(httpFrontEndStatus.cluster()))
                                .put("totals", totals())
                                .put("contended", contended())
                                .put("series", series(points)));
    }

    private JsonObject totals() {
        ResourceKindUsage locks = serverTotals.locks();
        ResourceKindUsage semaphores = serverTotals.semaphores();
        long longest = RunningWaits.of(frontEndServices.driver()).longestNanos();
        return new JsonObject()
                .put("connections", frontEndServices.driver().openSessions())
                .put("http_sessions", httpFrontEndStatus.sessions().getAsInt())
                .put("locks_held", locks.keys())
                .put("lock_waiters", locks.waits())
                .put("semaphore_holders", semaphores.holds())
                .put("semaphore_waiters", semaphores.waits())
                .put("shared_holders", serverTotals.shared().holds())
                .put("listeners", serverTotals.listeners())
                .put("longest_wait_s", longest == 0 ? null : JsonWriter.seconds(longest));
    }

    private JsonArray contended() {
        JsonArray array = new JsonArray();
        for (ContendedKey contendedKey : frontEndServices.monitor().contended(CONTENDED)) {
            JsonObject json =
                    new JsonObject().put("kind", JsonFormat.label(contendedKey.resource().kind()));
            array.add(
                    JsonFormat.putKey(json, contendedKey.resource().key())
                            .put("waits", contendedKey.waits()));
        }
        return array;
    }

    private JsonObject series(int points) {
        JsonObject object =
                new JsonObject().put("step_s", 1).put("end", JsonFormat.time(Instant.now()));
        recentHistory.addTo(object, points);
        return object;
    }

    @Override
    public synchronized void close() {
        if (prometheusExposition != null) {
            prometheusExposition.close();
            prometheusExposition = null;
        }
    }
}
