package io.holdfast.http.metrics;

import io.holdfast.driver.front.Backend;
import io.holdfast.driver.watch.Contended;
import io.holdfast.engine.UseCount;
import io.holdfast.http.inspect.Show;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Json;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Locale;

/** Serves numbers: to Prometheus, and to the page. */
public final class MetricsRoutes implements AutoCloseable {
    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final int POINTS = 300;
    private static final int CONTENDED = 10;

    private final Backend backend;
    private final Status status;
    private final HttpTally tally = new HttpTally();
    private final Series series;
    private final Totals totals;
    private final long sinceNanos = System.nanoTime();

    /** Guarded by this. */
    private @Nullable Exposition exposition;

    public MetricsRoutes(Backend backend, Status status) {
        this.backend = backend;
        this.status = status;
        this.series = new Series(backend);
        this.totals = new Totals(backend);
    }

    public void addTo(Api api) {
        api.watch(tally);
        api.add(HttpMethod.GET, "/metrics", Need.READ, this::metrics);
        api.add(HttpMethod.GET, "/v1/overview", Need.READ, this::overview);
        api.add(
                HttpMethod.GET,
                "/v1/cluster",
                Need.READ,
                exchange -> exchange.ok(ClusterJson.of(status.cluster())));
    }

    /** To be called once a second. */
    public void sample() {
        series.sample(System.nanoTime());
    }

    private void metrics(Exchange exchange) {
        exchange.aside(
                () -> {
                    Buffer text = Buffer.buffer(text());
                    exchange.web().later(() -> exchange.answer(200, TEXT, text));
                });
    }

    private synchronized String text() {
        if (exposition == null) {
            exposition = new Exposition(backend, status, tally);
        }
        return exposition.text();
    }

    private void overview(Exchange exchange) throws Problem {
        int points = exchange.queryInt("points", POINTS, 1, Series.KEPT);
        String role = exchange.role().name().toLowerCase(Locale.ROOT);
        boolean admin = exchange.isAdmin();
        exchange.offLoop(
                () ->
                        new JsonObject()
                                .put("version", status.version())
                                .put("uptime_s", Json.seconds(System.nanoTime() - sinceNanos))
                                .put("ready", status.ready().getAsBoolean())
                                .put("role", role)
                                .put("admin", admin)
                                .put("cluster", ClusterJson.of(status.cluster()))
                                .put("totals", totals())
                                .put("contended", contended())
                                .put("series", series(points)));
    }

    private JsonObject totals() {
        UseCount locks = totals.locks();
        UseCount semaphores = totals.semaphores();
        long longest = RunningWaits.of(backend.driver()).longestNanos();
        return new JsonObject()
                .put("connections", backend.driver().openSessions())
                .put("http_sessions", status.sessions().getAsInt())
                .put("locks_held", locks.keys())
                .put("lock_waiters", locks.waits())
                .put("semaphore_holders", semaphores.holds())
                .put("semaphore_waiters", semaphores.waits())
                .put("shared_holders", totals.shared().holds())
                .put("listeners", totals.listeners())
                .put("longest_wait_s", longest == 0 ? null : Json.seconds(longest));
    }

    private JsonArray contended() {
        JsonArray array = new JsonArray();
        for (Contended contended : backend.observatory().contended(CONTENDED)) {
            JsonObject shown = new JsonObject().put("kind", Show.word(contended.name().kind()));
            array.add(Show.putKey(shown, contended.name().key()).put("waits", contended.waits()));
        }
        return array;
    }

    private JsonObject series(int points) {
        JsonObject object = new JsonObject().put("step_s", 1).put("end", Show.time(Instant.now()));
        series.addTo(object, points);
        return object;
    }

    @Override
    public synchronized void close() {
        if (exposition != null) {
            exposition.close();
            exposition = null;
        }
    }
}
