package io.holdfast.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.stream.LongStream;

@DisplayName("Statistics of latencies")
class LatenciesTest {
    @Test
    void percentiles_interpolate_between_the_two_neighbours_of_their_rank() {
        var latencies = new Latencies(new long[] {40, 10, 30, 20});
        assertThat(latencies.percentile(0)).isEqualTo(10);
        assertThat(latencies.percentile(50)).isEqualTo(25);
        assertThat(latencies.percentile(99)).isCloseTo(39.7, within(1e-9));
        assertThat(latencies.percentile(99.9)).isCloseTo(39.97, within(1e-9));
        assertThat(latencies.percentile(100)).isEqualTo(40);
    }

    @Test
    void a_percentile_that_falls_on_a_rank_is_that_latency() {
        var latencies = new Latencies(LongStream.rangeClosed(0, 1000).toArray());
        assertThat(latencies.percentile(50)).isEqualTo(500);
        assertThat(latencies.percentile(99)).isEqualTo(990);
        assertThat(latencies.percentile(99.9)).isCloseTo(999, within(1e-6));
    }

    @Test
    void stdev_is_the_sample_standard_deviation() {
        var latencies = new Latencies(new long[] {2, 4, 4, 4, 5, 5, 7, 9});
        assertThat(latencies.mean()).isEqualTo(5);
        assertThat(latencies.stdev()).isCloseTo(Math.sqrt(32.0 / 7), within(1e-12));
    }

    @Test
    void a_single_latency_is_every_statistic_with_stdev_0() {
        var latencies = new Latencies(new long[] {7});
        assertThat(latencies.min()).isEqualTo(7);
        assertThat(latencies.max()).isEqualTo(7);
        assertThat(latencies.percentile(50)).isEqualTo(7);
        assertThat(latencies.percentile(99.9)).isEqualTo(7);
        assertThat(latencies.stdev()).isZero();
    }

    @Test
    void large_latencies_do_not_overflow_the_mean() {
        long day = 86_400_000_000_000L;
        var nanos = new long[200_000];
        Arrays.fill(nanos, day);
        var latencies = new Latencies(nanos);
        assertThat(latencies.mean()).isCloseTo((double) day, within(1.0));
        assertThat(latencies.stdev()).isCloseTo(0, within(1.0));
    }

    @Test
    void an_empty_set_of_latencies_is_rejected() {
        assertThatThrownBy(() -> new Latencies(new long[0]))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
