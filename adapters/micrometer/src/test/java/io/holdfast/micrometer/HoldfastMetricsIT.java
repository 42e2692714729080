package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.testing.HoldfastExtension;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;

@DisplayName("A client with metrics")
class HoldfastMetricsIT {
    @RegisterExtension final HoldfastExtension holdfast = new HoldfastExtension();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void the_meters_follow_a_client_of_a_real_server() throws InterruptedException {
        var metrics = new HoldfastMetrics();
        metrics.bindTo(registry);
        try (Holdfast client = holdfast.clientBuilder().listener(metrics).connect()) {
            Hold first = client.lock("a").acquire();
            Hold second = client.lock("b").acquire(Duration.ofSeconds(5));
            assertThat(client.lock("a").tryAcquire()).isEmpty();
            first.renew();
            awaitCount("holdfast.client.acquire", "result", "acquired", 2);
            awaitCount("holdfast.client.acquire", "result", "timed_out", 1);
            awaitCount("holdfast.client.renewals", "result", "renewed", 1);
            awaitCount("holdfast.client.connection.events", "state", "connected", 1);
            assertThat(holds()).isEqualTo(2);

            first.close();
            awaitCount("holdfast.client.held", "end", "released", 1);
            assertThat(holds()).isEqualTo(1);

            holdfast.restart();
            awaitCount("holdfast.client.lost", "reason", "connection_lost", 1);
            awaitCount("holdfast.client.connection.events", "state", "reconnected", 1);
            second.close();
            assertThat(holds()).isZero();
        }
        awaitCount("holdfast.client.held", "end", "released", 1);
    }

    private double holds() {
        return registry.get("holdfast.client.holds").gauge().value();
    }

    /** The first measurement of a meter is its count, also for timers. */
    private void awaitCount(String name, String tag, String value, int count) {
        await(name + " " + tag + "=" + value)
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(
                        () ->
                                assertThat(
                                                registry.get(name)
                                                        .tag(tag, value)
                                                        .meter()
                                                        .measure()
                                                        .iterator()
                                                        .next()
                                                        .getValue())
                                        .isEqualTo(count));
    }
}
