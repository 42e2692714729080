package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

@DisplayName("Fences from the clock")
class ClockFencesTest {
    @Test
    void start_just_above_the_wall_clock_and_grow_by_one() {
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
    void are_above_those_of_an_earlier_start() {
        ClockFences earlier = new ClockFences();
        long last = earlier.next();
        long now = ClockFences.wallClockNanos();
        while (ClockFences.wallClockNanos() <= now) { // until the clock has ticked once
            Thread.onSpinWait();
        }
        assertThat(new ClockFences().next()).isGreaterThan(last);
    }

    @Test
    void are_given_to_one_thread_each() throws Exception {
        ClockFences fences = new ClockFences();
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        try (Crew crew = new Crew()) {
            crew.run(
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
