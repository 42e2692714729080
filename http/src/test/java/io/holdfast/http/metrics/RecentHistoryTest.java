package io.holdfast.http.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.util.Objects;

@DisplayName("The time series of the last minutes")
class RecentHistoryTest {
    private static final long SECOND = 1_000_000_000;

    private final MetricsScenario metricsScenario = new MetricsScenario();
    private final RecentHistory recentHistory = new RecentHistory(metricsScenario.backend);
    private long nowNanos = -5 * SECOND;

    @AfterEach
    void close() {
        metricsScenario.close();
    }

    private void sampleAfter(long nanos) {
        nowNanos += nanos;
        recentHistory.sample(nowNanos);
    }

    private JsonArray series(String name, int max) {
        JsonObject object = new JsonObject();
        recentHistory.addTo(object, max);
        return object.getJsonArray(name);
    }

    private void lockAndRelease(int times) {
        MetricsScenario.Client client = metricsScenario.client();
        for (int i = 0; i < times; i++) {
            client.release(
                    ResourceKind.LOCK, Key.of("k"), Objects.requireNonNull(client.lock("k")));
        }
        client.session.close(Long.MAX_VALUE);
    }

    private static BigDecimal number(String text) {
        return new BigDecimal(text);
    }

    @Test
    void the_series_are_empty_at_first() {
        sampleAfter(0);
        assertThat(series("acquired", 300)).isEmpty();
    }

    @Test
    void the_series_show_the_rates_of_each_second() {
        sampleAfter(0);
        lockAndRelease(4);
        sampleAfter(SECOND);
        sampleAfter(SECOND);
        lockAndRelease(1);
        sampleAfter(SECOND / 2);
        assertThat(series("acquired", 300))
                .usingElementComparator(RecentHistoryTest::compare)
                .containsExactly(number("4"), number("0"), number("2"));
        assertThat(series("released", 2))
                .usingElementComparator(RecentHistoryTest::compare)
                .containsExactly(number("0"), number("2"));
    }

    private static int compare(Object one, Object other) {
        return ((BigDecimal) one).compareTo((BigDecimal) other);
    }

    @Test
    void seconds_without_a_sample_are_filled() {
        sampleAfter(0);
        lockAndRelease(6);
        sampleAfter(3 * SECOND);
        assertThat(series("acquired", 300))
                .usingElementComparator(RecentHistoryTest::compare)
                .containsExactly(number("2"), number("2"), number("2"));
        sampleAfter(SECOND * 86_400);
        assertThat(series("acquired", 10_000)).hasSize(RecentHistory.MAX_POINTS);
    }

    @Test
    void points_older_than_ten_minutes_are_dropped() {
        sampleAfter(0);
        lockAndRelease(1);
        for (int i = 0; i < RecentHistory.MAX_POINTS + 1; i++) {
            sampleAfter(SECOND);
        }
        assertThat(series("acquired", RecentHistory.MAX_POINTS))
                .hasSize(RecentHistory.MAX_POINTS)
                .usingElementComparator(RecentHistoryTest::compare)
                .containsOnly(BigDecimal.ZERO);
    }

    @Test
    void the_series_show_holds_waiters_and_connections() {
        MetricsScenario.Client alice = metricsScenario.client();
        Objects.requireNonNull(alice.lock("a"));
        Objects.requireNonNull(alice.lock("b"));
        assertThat(metricsScenario.client().lock("a")).isNull();
        sampleAfter(0);
        sampleAfter(SECOND);
        assertThat(compare(series("held", 1).getValue(0), number("2"))).isZero();
        assertThat(compare(series("waiting", 1).getValue(0), number("1"))).isZero();
        assertThat(compare(series("connections", 1).getValue(0), number("2"))).isZero();
    }

    @Test
    void there_is_no_wait_time_without_grants() {
        sampleAfter(0);
        lockAndRelease(1);
        sampleAfter(SECOND);
        sampleAfter(SECOND);
        assertThat(series("wait_p99_ms", 2).getValue(0)).isNotNull();
        assertThat(series("wait_p99_ms", 2).getValue(1)).isNull();
    }

    @Test
    void current_waits_are_counted() {
        sampleAfter(0);
        Objects.requireNonNull(metricsScenario.client().lock("a"));
        assertThat(metricsScenario.client().lock("a")).isNull();
        sampleAfter(SECOND);
        BigDecimal first = (BigDecimal) series("longest_wait_ms", 1).getValue(0);
        assertThat(first).isPositive();
        await().until(() -> RunningWaits.of(metricsScenario.driver).longestNanos() > 30_000_000);
        sampleAfter(SECOND);
        BigDecimal longest = (BigDecimal) series("longest_wait_ms", 1).getValue(0);
        assertThat(longest).isGreaterThan(first).isGreaterThanOrEqualTo(number("30"));
        assertThat(series("wait_p99_ms", 1).getValue(0)).isEqualTo(longest);
        assertThat((BigDecimal) series("wait_p50_ms", 1).getValue(0)).isGreaterThan(number("24"));
    }

    @Test
    void there_is_no_longest_wait_without_waiters() {
        sampleAfter(0);
        sampleAfter(SECOND);
        assertThat(compare(series("longest_wait_ms", 1).getValue(0), BigDecimal.ZERO)).isZero();
        assertThat(series("wait_p99_ms", 1).getValue(0)).isNull();
    }
}
