package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

@DisplayName("Fences from the clock")
class ClockFencesTest {
    @Test
    void clock_fences_start_just_above_the_wall_clock_and_grow_by_one() {
        long before = ClockFences.wallClockNanos();
        ClockFences fences = new ClockFences();
        long after = ClockFences.wallClockNanos();
        long first = fences.next();
        assertThat(first).isBetween(before + 1, after + 1);
        for (int i = 1; i < 1_000; i++) {
            assertThat(fences.next()).isEqualTo(first + i);
        }
        fences.close();
    }

    @Test
    void clock_fences_are_above_those_of_an_earlier_start() {
        ClockFences earlier = new ClockFences();
        long last = earlier.next();
        long now = ClockFences.wallClockNanos();
        while (ClockFences.wallClockNanos() <= now) { // until the clock has ticked once
            Thread.onSpinWait();
        }
        assertThat(new ClockFences().next()).isGreaterThan(last);
    }

    @Test
    void clock_fences_are_above_a_floor_that_was_set_and_never_go_back_to_a_lower_one() {
        ClockFences fences = new ClockFences();
        long floor = fences.next() + 1_000_000_000_000L;
        fences.raise(floor);
        assertThat(fences.next()).isEqualTo(floor + 1);
        fences.raise(floor - 500);
        fences.raise(-1);
        assertThat(fences.next()).isEqualTo(floor + 2);
        fences.raise(floor + 2);
        assertThat(fences.next()).isEqualTo(floor + 3);
    }

    @Test
    void clock_fences_refuse_a_floor_that_leaves_too_few_numbers() {
        ClockFences fences = new ClockFences();
        long next = fences.next() + 1;
        assertThatThrownBy(() -> fences.raise(Long.MAX_VALUE - 5))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(fences.next()).isEqualTo(next);
        fences.raise(Fences.MAX_FLOOR);
        assertThat(fences.next()).isEqualTo(Fences.MAX_FLOOR + 1);
    }

    @Test
    void clock_fences_are_unique_across_threads() throws Exception {
        ClockFences fences = new ClockFences();
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        try (ParallelThreads parallelThreads = new ParallelThreads()) {
            parallelThreads.run(
                    4,
                    member -> {
                        long last = 0;
                        for (int i = 0; i < 10_000; i++) {
                            long fence = fences.next();
                            assertThat(fence).isGreaterThan(last);
                            seen.add(fence);
                            last = fence;
                        }
                    });
        }
        assertThat(seen).hasSize(40_000);
    }
}
