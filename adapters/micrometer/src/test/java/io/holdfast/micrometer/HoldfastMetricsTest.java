package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.ClientEventListener.AcquireResult;
import io.holdfast.client.ConnectionEvent;
import io.holdfast.client.LossReason;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

@DisplayName("The metrics of a client")
class HoldfastMetricsTest {
    private static final Duration SPAN = Duration.ofMillis(20);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final HoldfastMetrics metrics = new HoldfastMetrics();

    @Test
    void all_meters_are_registered_before_any_event() {
        metrics.bindTo(registry);
        assertThat(registry.getMeters()).hasSize(4 + 1 + 2 + 4 + 2 + 5);
        assertThat(registry.get("holdfast.client.holds").gauge().value()).isZero();
    }

    @Test
    void acquires_are_timed_by_result() {
        metrics.bindTo(registry);
        for (AcquireResult result : AcquireResult.values()) {
            metrics.acquireEnded("key", result, SPAN);
        }
        for (String result : new String[] {"acquired", "timed_out", "cancelled", "failed"}) {
            var timer = registry.get("holdfast.client.acquire").tag("result", result).timer();
            assertThat(timer.count()).isEqualTo(1);
            assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(20);
        }
        assertThat(registry.get("holdfast.client.holds").gauge().value()).isEqualTo(1);
    }

    @Test
    void losses_are_counted_by_reason_and_hold_times_are_measured() {
        metrics.bindTo(registry);
        metrics.acquireEnded("a", AcquireResult.ACQUIRED, SPAN);
        metrics.acquireEnded("b", AcquireResult.ACQUIRED, SPAN);
        metrics.lost("a", LossReason.CONNECTION_LOST, SPAN);
        metrics.released("b", SPAN);
        assertThat(count("holdfast.client.lost", "reason", "connection_lost")).isEqualTo(1);
        assertThat(count("holdfast.client.lost", "reason", "expired")).isZero();
        assertThat(registry.get("holdfast.client.held").tag("end", "lost").timer().count())
                .isEqualTo(1);
        assertThat(registry.get("holdfast.client.held").tag("end", "released").timer().count())
                .isEqualTo(1);
        assertThat(registry.get("holdfast.client.holds").gauge().value()).isZero();
    }

    @Test
    void renewals_and_connection_events_are_counted() {
        metrics.bindTo(registry);
        metrics.renewed("a");
        metrics.renewed("a");
        metrics.renewalFailed("a");
        metrics.connection(new ConnectionEvent("x:1", ConnectionEvent.State.RESTORED));
        assertThat(count("holdfast.client.renewals", "result", "renewed")).isEqualTo(2);
        assertThat(count("holdfast.client.renewals", "result", "failed")).isEqualTo(1);
        assertThat(count("holdfast.client.connection.events", "state", "restored")).isEqualTo(1);
    }

    @Test
    void every_registry_gets_the_meters_with_their_tags() {
        var tagged = new HoldfastMetrics(Tags.of("client", "billing"));
        var second = new SimpleMeterRegistry();
        tagged.acquireEnded("early", AcquireResult.ACQUIRED, SPAN);
        tagged.bindTo(registry);
        tagged.bindTo(second);
        tagged.renewed("a");
        for (var each : new SimpleMeterRegistry[] {registry, second}) {
            assertThat(
                            each.get("holdfast.client.renewals")
                                    .tags("client", "billing", "result", "renewed")
                                    .counter()
                                    .count())
                    .isEqualTo(1);
            assertThat(each.get("holdfast.client.holds").gauge().value())
                    .as("including holds acquired before the binding")
                    .isEqualTo(1);
        }
    }

    private double count(String name, String tag, String value) {
        return registry.get(name).tag(tag, value).counter().count();
    }
}
