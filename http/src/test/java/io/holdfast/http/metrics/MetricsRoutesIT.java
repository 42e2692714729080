package io.holdfast.http.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.Secret;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.DriverClient;
import io.holdfast.http.RawHttp;
import io.holdfast.http.TestHttp;
import io.vertx.core.json.JsonObject;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

@DisplayName("Metrics over HTTP")
class MetricsRoutesIT {
    private TestHttp http = TestHttp.start(config -> config.version("1.2.3"));

    @AfterEach
    void close() {
        http.close();
    }

    private void restartWithSecrets() {
        http.close();
        http =
                TestHttp.start(
                        config ->
                                config.secret(secret("master key"))
                                        .readToken(secret("just looking")));
    }

    private static Secret secret(String text) {
        return new Secret(text.getBytes(StandardCharsets.UTF_8));
    }

    private PrometheusText scrape() {
        return PrometheusText.parse(http.get("/metrics").body());
    }

    @Test
    void metrics_are_served_in_the_text_format_of_Prometheus() {
        HttpResponse<String> response = http.get("/metrics");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValue("text/plain; version=0.0.4; charset=utf-8");
        assertThat(PrometheusText.parse(response.body()).value("dflockd_ready")).isEqualTo(1);
        assertThat(http.send("HEAD", "/metrics", null).body()).isEmpty();
    }

    @Test
    void metrics_require_the_secret_if_there_is_one() {
        restartWithSecrets();
        for (String path : new String[] {"/metrics", "/v1/overview", "/v1/cluster"}) {
            assertThat(TestHttp.statusAndError(http.get(path))).isEqualTo("401 unauthorized");
            assertThat(TestHttp.statusAndError(http.get(path, "Authorization", "Bearer master")))
                    .isEqualTo("401 unauthorized");
            assertThat(http.get(path, "Authorization", "Bearer master key").statusCode())
                    .isEqualTo(200);
            assertThat(http.get(path, "Authorization", "Bearer just looking").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void requests_are_counted_by_route_and_not_by_path() {
        http.get("/health");
        http.get("/health");
        http.get("/v1/no/such/thing");
        http.get("/v1/no/such/thing/either");
        http.post("/health", "");
        Awaitility.await()
                .untilAsserted(() -> assertThat(requests("GET", "/health", 200)).isEqualTo(2));
        assertThat(requests("GET", "unmatched", 404)).isEqualTo(2);
        assertThat(requests("POST", "/health", 405)).isEqualTo(1);
        assertThat(http.get("/metrics").body()).doesNotContain("/v1/no");
    }

    @Test
    void a_request_whose_client_left_before_the_response_is_counted() {
        new DriverClient(http, "holder").lock("taken");
        try (RawHttp raw = new RawHttp(http)) {
            raw.post("/v1/leases/taken", "", "{\"acquire_timeout_s\":100}");
            Awaitility.await()
                    .until(
                            () ->
                                    http.driver
                                                    .queries()
                                                    .view(ResourceKind.LOCK, Key.of("taken"), 1)
                                                    .waiters()
                                            == 1);
        }
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(requests("POST", "/v1/leases/{key}", 499)).isEqualTo(1));
    }

    @Test
    void a_wrong_secret_is_counted_for_the_route_it_was_sent_to() {
        restartWithSecrets();
        http.get("/v1/keys");
        String text = http.get("/metrics", "Authorization", "Bearer just looking").body();
        assertThat(text).contains("path=\"/v1/keys\",status=\"401\"");
    }

    private double requests(String method, String path, int status) {
        return scrape().value(
                        "dflockd_http_requests_total",
                        "method",
                        method,
                        "path",
                        path,
                        "status",
                        String.valueOf(status));
    }

    @Test
    void bytes_and_connections_of_HTTP_are_counted() {
        http.post("/v1/leases/k", "x".repeat(30_000));
        assertThat(scrape().value("holdfast_connections", "protocol", "http")).isPositive();
        Awaitility.await()
                .until(
                        () ->
                                bytes(scrape(), "received") > 16_384
                                        && bytes(scrape(), "sent") > 4_096);
    }

    private static double bytes(PrometheusText text, String direction) {
        return text.value("holdfast_bytes_total", "protocol", "http", "direction", direction);
    }

    @Test
    void metrics_show_that_the_server_is_draining() {
        http.draining.set(true);
        assertThat(scrape().value("dflockd_ready")).isZero();
        assertThat(TestHttp.json(http.get("/v1/overview")).getBoolean("ready")).isFalse();
    }

    @Test
    void the_overview_has_totals_and_series() {
        JsonObject overview = TestHttp.json(http.get("/v1/overview"));
        assertThat(overview.fieldNames())
                .containsExactly(
                        "version",
                        "uptime_s",
                        "ready",
                        "quarantine_left_s",
                        "role",
                        "admin",
                        "cluster",
                        "totals",
                        "contended",
                        "series");
        assertThat(overview.getString("version")).isEqualTo("1.2.3");
        assertThat(overview.getString("role")).isEqualTo("open");
        assertThat(overview.getBoolean("admin")).isFalse();
        assertThat(overview.getJsonObject("totals").fieldNames())
                .containsExactly(
                        "connections",
                        "http_sessions",
                        "locks_held",
                        "lock_waiters",
                        "semaphore_holders",
                        "semaphore_waiters",
                        "shared_holders",
                        "listeners",
                        "longest_wait_s");
        assertThat(overview.getJsonArray("contended")).isEmpty();
        assertThat(overview.getJsonObject("series").fieldNames())
                .containsExactly(
                        "step_s",
                        "end",
                        "acquired",
                        "released",
                        "timed_out",
                        "expired",
                        "lost",
                        "wait_p50_ms",
                        "wait_p99_ms",
                        "longest_wait_ms",
                        "held",
                        "waiting",
                        "connections");
    }

    @Test
    void the_series_get_a_new_point_each_second() {
        Awaitility.await()
                .until(
                        () ->
                                !TestHttp.json(http.get("/v1/overview?points=1"))
                                        .getJsonObject("series")
                                        .getJsonArray("held")
                                        .isEmpty());
        assertThat(TestHttp.statusAndError(http.get("/v1/overview?points=0")))
                .isEqualTo("400 bad_request");
        assertThat(TestHttp.statusAndError(http.get("/v1/overview?points=601")))
                .isEqualTo("400 bad_request");
    }
}
