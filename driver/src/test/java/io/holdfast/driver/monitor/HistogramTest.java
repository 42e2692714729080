package io.holdfast.driver.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;
import java.util.stream.LongStream;

@DisplayName("A histogram")
class HistogramTest {
    private final Histogram histogram = new Histogram();

    @Test
    void a_histogram_has_increasing_bounds_and_an_unbounded_last_bucket() {
        long[] bounds =
                IntStream.range(0, Histogram.buckets()).mapToLong(Histogram::boundNanos).toArray();
        assertThat(bounds).isSorted().doesNotHaveDuplicates().endsWith(Long.MAX_VALUE);
    }

    @Test
    void a_histogram_counts_a_duration_equal_to_a_bound_in_the_lower_bucket() {
        for (int bucket = 0; bucket < Histogram.buckets() - 1; bucket++) {
            histogram.record(Histogram.boundNanos(bucket));
            assertThat(histogram.count(bucket)).isEqualTo(bucket == 0 ? 1 : 2);
            histogram.record(Histogram.boundNanos(bucket) + 1);
            assertThat(histogram.count(bucket + 1)).isEqualTo(1);
        }
    }

    @Test
    void a_histogram_counts_0_in_the_first_bucket_and_the_longest_duration_in_the_last() {
        histogram.record(0);
        histogram.record(Long.MAX_VALUE);
        assertThat(histogram.count(0)).isEqualTo(1);
        assertThat(histogram.count(Histogram.buckets() - 1)).isEqualTo(1);
    }

    @Test
    void a_histogram_can_be_added_to_a_sum() {
        histogram.record(3);
        histogram.record(4);
        long[] counts = new long[Histogram.buckets()];
        counts[0] = 10;
        assertThat(histogram.addTo(counts)).isEqualTo(7);
        assertThat(counts[0]).isEqualTo(12);
        assertThat(LongStream.of(counts).sum()).isEqualTo(12);
    }
}
