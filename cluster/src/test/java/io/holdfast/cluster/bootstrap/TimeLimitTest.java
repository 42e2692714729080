package io.holdfast.cluster.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

@DisplayName("A limit to the time of several steps")
class TimeLimitTest {
    private static final Duration STEP = Duration.ofSeconds(2);

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10);
    private final TimeLimit limit = new TimeLimit(Duration.ofSeconds(3), clock::get);

    @Test
    void a_step_takes_no_longer_than_it_may_and_all_of_them_no_longer_than_the_limit() {
        assertThat(limit.atMost(STEP)).isEqualTo(STEP);
        clock.addAndGet(STEP.toNanos());
        assertThat(limit.atMost(STEP)).isEqualTo(Duration.ofSeconds(1));
        clock.addAndGet(STEP.toNanos());
        assertThat(limit.atMost(STEP)).isZero();
    }
}
