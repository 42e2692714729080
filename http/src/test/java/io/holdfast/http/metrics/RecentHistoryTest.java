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

@DisplayName("The last minutes")
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

    private JsonArray line(String name, int most) {
        JsonObject object = new JsonObject();
        recentHistory.addTo(object, most);
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
    void are_empty_at_first() {
        sampleAfter(0);
        assertThat(line("acquired", 300)).isEmpty();
    }

    @Test
    void show_how_much_happened_in_each_second() {
        sampleAfter(0);
        lockAndRelease(4);
        sampleAfter(SECOND);
        sampleAfter(SECOND);
        lockAndRelease(1);
        sampleAfter(SECOND / 2);
        assertThat(line("acquired", 300))
                .usingElementComparator(RecentHistoryTest::compare)
                .containsExactly(number("4"), number("0"), number("2"));
        assertThat(line("released", 2))
                .usingElementComparator(RecentHistoryTest::compare)
                .containsExactly(number("0"), number("2"));
    }

    private static int compare(Object one, Object other) {
        return ((BigDecimal) one).compareTo((BigDecimal) other);
    }

    @Test
    void fill_the_seconds_in_which_nobody_looked() {
        sampleAfter(0);
        lockAndRelease(6);
        sampleAfter(3 * SECOND);
        assertThat(line("acquired", 300))
                .usingElementComparator(RecentHistoryTest::compare)
                .containsExactly(number("2"), number("2"), number("2"));
        sampleAfter(SECOND * 86_400);
        assertThat(line("acquired", 10_000)).hasSize(RecentHistory.MAX_POINTS);
    }

    @Test
    void forget_what_is_older_than_ten_minutes() {
        sampleAfter(0);
        lockAndRelease(1);
        for (int i = 0; i < RecentHistory.MAX_POINTS + 1; i++) {
            sampleAfter(SECOND);
        }
        assertThat(line("acquired", RecentHistory.MAX_POINTS))
                .hasSize(RecentHistory.MAX_POINTS)
                .usingElementComparator(RecentHistoryTest::compare)
                .containsOnly(BigDecimal.ZERO);
    }

    @Test
    void show_what_is_there() {
        MetricsScenario.Client alice = metricsScenario.client();
        Objects.requireNonNull(alice.lock("a"));
        Objects.requireNonNull(alice.lock("b"));
        assertThat(metricsScenario.client().lock("a")).isNull();
        sampleAfter(0);
        sampleAfter(SECOND);
        assertThat(compare(line("held", 1).getValue(0), number("2"))).isZero();
        assertThat(compare(line("waiting", 1).getValue(0), number("1"))).isZero();
        assertThat(compare(line("connections", 1).getValue(0), number("2"))).isZero();
    }

    @Test
    void have_no_wait_time_where_nobody_got_anything() {
        sampleAfter(0);
        lockAndRelease(1);
        sampleAfter(SECOND);
        sampleAfter(SECOND);
        assertThat(line("wait_p99_ms", 2).getValue(0)).isNotNull();
        assertThat(line("wait_p99_ms", 2).getValue(1)).isNull();
    }

    @Test
    void count_waits_that_go_on() {
        sampleAfter(0);
        Objects.requireNonNull(metricsScenario.client().lock("a"));
        assertThat(metricsScenario.client().lock("a")).isNull();
        sampleAfter(SECOND);
        BigDecimal first = (BigDecimal) line("longest_wait_ms", 1).getValue(0);
        assertThat(first).isPositive();
        await().until(() -> RunningWaits.of(metricsScenario.driver).longestNanos() > 30_000_000);
        sampleAfter(SECOND);
        BigDecimal longest = (BigDecimal) line("longest_wait_ms", 1).getValue(0);
        assertThat(longest).isGreaterThan(first).isGreaterThanOrEqualTo(number("30"));
        assertThat(line("wait_p99_ms", 1).getValue(0)).isEqualTo(longest);
        assertThat((BigDecimal) line("wait_p50_ms", 1).getValue(0)).isGreaterThan(number("24"));
    }

    @Test
    void have_no_longest_wait_where_nobody_waits() {
        sampleAfter(0);
        sampleAfter(SECOND);
        assertThat(compare(line("longest_wait_ms", 1).getValue(0), BigDecimal.ZERO)).isZero();
        assertThat(line("wait_p99_ms", 1).getValue(0)).isNull();
    }
}
