package io.holdfast.cluster.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

@DisplayName("A time limit of several steps")
class TimeLimitTest {
    private static final Duration STEP = Duration.ofSeconds(2);

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10);
    private final TimeLimit limit = new TimeLimit(Duration.ofSeconds(3), clock::get);

    @Test
    void a_step_takes_at_most_its_time_and_all_steps_at_most_the_limit() {
        assertThat(limit.atMost(STEP)).isEqualTo(STEP);
        clock.addAndGet(STEP.toNanos());
        assertThat(limit.atMost(STEP)).isEqualTo(Duration.ofSeconds(1));
        clock.addAndGet(STEP.toNanos());
        assertThat(limit.atMost(STEP)).isZero();
    }
}
