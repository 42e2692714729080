package io.holdfast.http.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.signal.Signal;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.vertx.core.http.HttpMethod;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Objects;
import java.util.stream.Collectors;

@DisplayName("Metrics for Prometheus")
class PrometheusExpositionTest {
    private final MetricsScenario metricsScenario = new MetricsScenario();

    @AfterEach
    void close() {
        metricsScenario.close();
    }

    private static Token given(Token token) {
        return Objects.requireNonNull(token);
    }

    @Test
    void the_dflockd_metrics_are_exactly_those_of_dflockd() {
        metricsScenario.requestMetrics.completed(HttpMethod.GET, "/health", 200, 2_000_000);
        PrometheusText text = metricsScenario.scrape();
        assertThat(
                        text.types().entrySet().stream()
                                .filter(family -> family.getKey().startsWith("dflockd_"))
                                .map(family -> family.getKey() + " " + family.getValue())
                                .collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(
                        "dflockd_http_requests_total counter",
                        "dflockd_http_request_duration_seconds summary",
                        "dflockd_ready gauge",
                        "dflockd_uptime_seconds gauge",
                        "dflockd_connections gauge",
                        "dflockd_http_sessions gauge",
                        "dflockd_locks_held gauge",
                        "dflockd_lock_waiters gauge",
                        "dflockd_semaphore_holders gauge",
                        "dflockd_semaphore_waiters gauge",
                        "dflockd_signal_listeners gauge");
        assertThat(text.value("dflockd_ready")).isEqualTo(1);
        assertThat(text.value("dflockd_uptime_seconds")).isPositive();
        assertThat(text.value("dflockd_http_sessions")).isEqualTo(7);
    }

    @Test
    void responses_are_counted_by_method_route_and_status() {
        metricsScenario.requestMetrics.completed(HttpMethod.GET, "/health", 200, 2_000_000);
        assertThat(metricsScenario.scrape().names()).contains("dflockd_http_requests_total");
        metricsScenario.requestMetrics.completed(HttpMethod.GET, "/health", 200, 3_000_000);
        metricsScenario.requestMetrics.completed(
                HttpMethod.POST, "/v1/locks/{key}", 401, 1_000_000);
        metricsScenario.requestMetrics.completed(
                HttpMethod.valueOf("BREW"), "unmatched", 404, 1_000_000);
        metricsScenario.requestMetrics.completed(
                HttpMethod.valueOf("BRRR"), "unmatched", 404, 1_000_000);
        PrometheusText text = metricsScenario.scrape();
        String[] health = {"method", "GET", "path", "/health", "status", "200"};
        assertThat(text.value("dflockd_http_requests_total", health)).isEqualTo(2);
        assertThat(text.value("dflockd_http_request_duration_seconds_count", health)).isEqualTo(2);
        assertThat(text.value("dflockd_http_request_duration_seconds_sum", health))
                .isEqualTo(0.005);
        assertThat(
                        text.value(
                                "dflockd_http_requests_total",
                                "method",
                                "POST",
                                "path",
                                "/v1/locks/{key}",
                                "status",
                                "401"))
                .isEqualTo(1);
        assertThat(
                        text.value(
                                "dflockd_http_requests_total",
                                "method",
                                "OTHER",
                                "path",
                                "unmatched",
                                "status",
                                "404"))
                .isEqualTo(2);
    }

    @Test
    void operations_are_counted_by_outcome() {
        MetricsScenario.Client alice = metricsScenario.client();
        MetricsScenario.Client bob = metricsScenario.client();
        Key printer = Key.of("printer");
        Token token = given(alice.lock("printer"));
        alice.renew(ResourceKind.LOCK, printer, token);
        alice.release(ResourceKind.LOCK, printer, token);
        alice.release(ResourceKind.LOCK, printer, token);
        given(alice.lock("printer"));
        bob.acquire(ResourceKind.LOCK, printer, 1, 0, MetricsScenario.LONG);
        PrometheusText text = metricsScenario.scrape();
        assertThat(operations(text, "acquire", "lock", "acquired")).isEqualTo(2);
        assertThat(operations(text, "acquire", "lock", "timed_out")).isEqualTo(1);
        assertThat(operations(text, "renew", "lock", "done")).isEqualTo(1);
        assertThat(operations(text, "release", "lock", "done")).isEqualTo(1);
        assertThat(operations(text, "release", "lock", "not_held")).isEqualTo(1);
        assertThat(operations(text, "acquire", "semaphore", "acquired")).isZero();
        assertThat(text.value("holdfast_holds_ended_total", "kind", "lock", "reason", "released"))
                .isEqualTo(1);
        assertThat(text.value("holdfast_wait_seconds_count", "kind", "lock")).isEqualTo(2);
        assertThat(text.value("holdfast_hold_seconds_count", "kind", "lock")).isEqualTo(1);
    }

    private static double operations(
            PrometheusText text, String operation, String kind, String outcome) {
        return text.value(
                "holdfast_operations_total",
                "operation",
                operation,
                "kind",
                kind,
                "outcome",
                outcome);
    }

    @Test
    void data_operations_are_counted() {
        MetricsScenario.Client alice = metricsScenario.client();
        Key key = Key.of("data");
        long id = alice.session.id();
        alice.submit(n -> new Command.Data(id, n, key, new DataOperation.Increment(1)));
        alice.submit(
                n ->
                        new Command.Data(
                                id, n, key, new DataOperation.SetValue(ByteString.of("x"), 0)));
        PrometheusText text = metricsScenario.scrape();
        assertThat(operations(text, "counter", "data", "done")).isEqualTo(1);
        assertThat(operations(text, "value", "data", "done")).isEqualTo(1);
        assertThat(operations(text, "list", "data", "done")).isZero();
    }

    @Test
    void holds_and_waiters_are_counted_by_kind() {
        MetricsScenario.Client alice = metricsScenario.client();
        MetricsScenario.Client bob = metricsScenario.client();
        MetricsScenario.Client carol = metricsScenario.client();
        given(alice.lock("printer"));
        assertThat(bob.lock("printer")).isNull();
        assertThat(carol.lock("printer")).isNull();
        Key pool = Key.of(new Namespace("other"), new byte[] {'p'});
        given(alice.acquire(ResourceKind.SEMAPHORE, pool, 2, 0, MetricsScenario.LONG));
        given(bob.acquire(ResourceKind.SEMAPHORE, pool, 2, 0, MetricsScenario.LONG));
        assertThat(
                        carol.acquire(
                                ResourceKind.SEMAPHORE,
                                pool,
                                2,
                                MetricsScenario.LONG,
                                MetricsScenario.LONG))
                .isNull();
        PrometheusText text = metricsScenario.scrape();
        assertThat(text.value("dflockd_locks_held")).isEqualTo(1);
        assertThat(text.value("dflockd_lock_waiters")).isEqualTo(2);
        assertThat(text.value("dflockd_semaphore_holders")).isEqualTo(2);
        assertThat(text.value("dflockd_semaphore_waiters")).isEqualTo(1);
        assertThat(text.value("holdfast_keys_held", "kind", "semaphore")).isEqualTo(1);
        assertThat(text.value("holdfast_holders", "kind", "semaphore")).isEqualTo(2);
        assertThat(text.value("holdfast_waiters", "kind", "lock")).isEqualTo(2);
        assertThat(text.value("holdfast_longest_wait_seconds", "kind", "lock")).isPositive();
        assertThat(text.value("holdfast_longest_wait_seconds", "kind", "shared")).isZero();
        assertThat(text.value("holdfast_waits_total", "kind", "lock")).isEqualTo(2);
        assertThat(text.value("holdfast_sessions", "protocol", "dflockd")).isEqualTo(3);
        String[] printer = {"kind", "lock", "namespace", "", "key", "printer"};
        assertThat(text.value("holdfast_contended_key_waits", printer)).isEqualTo(2);
        assertThat(text.value("holdfast_contended_key_waiters", printer)).isEqualTo(2);

        alice.session.close(Long.MAX_VALUE);
        bob.session.close(Long.MAX_VALUE);
        carol.session.close(Long.MAX_VALUE);
        PrometheusText after = metricsScenario.scrape();
        assertThat(after.value("dflockd_locks_held")).isZero();
        assertThat(after.value("dflockd_lock_waiters")).isZero();
        assertThat(after.value("dflockd_semaphore_holders")).isZero();
        assertThat(after.value("dflockd_semaphore_waiters")).isZero();
        assertThat(after.value("holdfast_sessions", "protocol", "dflockd")).isZero();
        assertThat(after.value("holdfast_contended_key_waits", printer)).isEqualTo(2);
        assertThat(after.value("holdfast_contended_key_waiters", printer)).isZero();
    }

    @Test
    void signal_listeners_are_counted() {
        var listener =
                metricsScenario.hub.open(
                        new SignalListener() {
                            @Override
                            public boolean isFull() {
                                return false;
                            }

                            @Override
                            public void deliver(Signal signal) {}

                            @Override
                            public void overrun() {}
                        });
        listener.listen(Key.of("a.*"), ByteString.EMPTY);
        listener.listen(Key.of("b"), ByteString.EMPTY);
        assertThat(metricsScenario.scrape().value("dflockd_signal_listeners")).isEqualTo(2);
        listener.unlisten(Key.of("b"), ByteString.EMPTY);
        assertThat(metricsScenario.scrape().value("dflockd_signal_listeners")).isEqualTo(1);
        listener.close();
        assertThat(metricsScenario.scrape().value("dflockd_signal_listeners")).isZero();
    }

    @Test
    void expiry_delay_and_hand_off_time_are_measured() {
        given(
                metricsScenario
                        .client()
                        .acquire(ResourceKind.LOCK, Key.of("short"), 1, 0, 1_000_000));
        metricsScenario.monitor.handedOff(30_000);
        Awaitility.await()
                .until(
                        () ->
                                metricsScenario
                                                .scrape()
                                                .value("holdfast_expiry_lateness_seconds_count")
                                        == 1);
        PrometheusText text = metricsScenario.scrape();
        assertThat(text.value("holdfast_holds_ended_total", "kind", "lock", "reason", "expired"))
                .isEqualTo(1);
        assertThat(text.value("holdfast_hand_off_seconds_count")).isEqualTo(1);
        assertThat(text.value("holdfast_hand_off_seconds_sum")).isEqualTo(3e-5);
        assertThat(text.value("holdfast_hand_off_seconds_bucket", "le", "1.0E-5")).isZero();
        assertThat(text.value("holdfast_hand_off_seconds_bucket", "le", "1.0E-4")).isEqualTo(1);
    }

    @Test
    void bytes_and_connections_are_counted_by_protocol() {
        var protocolTraffic = metricsScenario.monitor.traffic("lockd");
        protocolTraffic.connected();
        protocolTraffic.receive(100);
        protocolTraffic.send(20);
        PrometheusText text = metricsScenario.scrape();
        assertThat(text.value("holdfast_connections", "protocol", "lockd")).isEqualTo(1);
        assertThat(text.value("holdfast_bytes_total", "protocol", "lockd", "direction", "received"))
                .isEqualTo(100);
        assertThat(text.value("holdfast_bytes_total", "protocol", "lockd", "direction", "sent"))
                .isEqualTo(20);
    }

    @Test
    void ten_contended_keys_of_ten_thousand_are_exported_with_truncated_names() {
        MetricsScenario.Client alice = metricsScenario.client();
        MetricsScenario.Client bob = metricsScenario.client();
        String tail = "\"\\\n\u0001" + "x".repeat(900);
        for (int i = 0; i < 10_000; i++) {
            given(alice.lock(i + tail));
            assertThat(bob.lock(i + tail)).isNull();
        }
        String written = metricsScenario.text();
        PrometheusText text = PrometheusText.parse(written);
        assertThat(written.length()).isLessThan(60_000);
        assertThat(
                        text.samples().keySet().stream()
                                .filter(s -> s.name().equals("holdfast_contended_key_waits")))
                .hasSizeBetween(1, ServerCollector.MAX_KEYS);
        assertThat(
                        text.samples().keySet().stream()
                                .map(series -> series.labels().getOrDefault("key", "")))
                .allMatch(key -> key.length() <= 2 * ServerCollector.MAX_LABEL_CHARS);
        assertThat(text.value("dflockd_lock_waiters")).isEqualTo(10_000);
    }

    @Test
    void keys_with_equal_truncated_names_are_counted_together() {
        MetricsScenario.Client alice = metricsScenario.client();
        MetricsScenario.Client bob = metricsScenario.client();
        String same = "x".repeat(ServerCollector.MAX_LABEL_CHARS);
        for (String key : new String[] {same + "a", same + "b"}) {
            given(alice.lock(key));
            assertThat(bob.lock(key)).isNull();
        }
        assertThat(
                        metricsScenario
                                .scrape()
                                .value(
                                        "holdfast_contended_key_waits",
                                        "kind",
                                        "lock",
                                        "namespace",
                                        "",
                                        "key",
                                        same + "\u2026"))
                .isEqualTo(2);
    }

    @Test
    void JVM_and_process_metrics_are_exported() {
        assertThat(metricsScenario.scrape().names())
                .contains(
                        "jvm_memory_used_bytes",
                        "jvm_threads_live_threads",
                        "process_cpu_usage",
                        "process_uptime_seconds",
                        "jvm_gc_memory_allocated_bytes_total");
    }
}
