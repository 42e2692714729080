package io.holdfast.http.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

final class RateLimitTest {
    private final AtomicLong now = new AtomicLong(1);

    private void pass(Duration span) {
        now.addAndGet(span.toNanos());
    }

    @Test
    void a_rate_limit_bucket_starts_full_and_fills_again() {
        RateLimit limit = new RateLimit(10, 2, now::get);

        assertThat(limit.tryAcquire("a")).isTrue();
        assertThat(limit.tryAcquire("a")).isTrue();
        assertThat(limit.tryAcquire("a")).isFalse();
        assertThat(limit.tryAcquire("b")).isTrue();
        pass(Duration.ofMillis(100));
        assertThat(limit.tryAcquire("a")).isTrue();
        assertThat(limit.tryAcquire("a")).isFalse();
    }

    @Test
    void without_a_burst_the_requests_of_one_second_may_come_at_once() {
        RateLimit limit = new RateLimit(3, 0, now::get);

        assertThat(limit.tryAcquire("a")).isTrue();
        assertThat(limit.tryAcquire("a")).isTrue();
        assertThat(limit.tryAcquire("a")).isTrue();
        assertThat(limit.tryAcquire("a")).isFalse();
    }

    @Test
    void rate_limit_buckets_unused_for_long_are_removed() {
        RateLimit limit = new RateLimit(1, 1, now::get);
        for (int i = 0; i < 1000; i++) {
            limit.tryAcquire("address " + i);
        }
        pass(Duration.ofMinutes(10));

        limit.tryAcquire("other");

        assertThat(limit.size()).isEqualTo(1);
    }

    @Test
    void the_number_of_rate_limit_buckets_is_limited() {
        RateLimit limit = new RateLimit(1, 1, now::get);
        for (int i = 0; i < 110_000; i++) {
            limit.tryAcquire("address " + i);
        }

        assertThat(limit.size()).isLessThanOrEqualTo(100_000);
    }

    @Test
    void a_rate_limit_of_0_is_unlimited() {
        RateLimit limit = new RateLimit(0, 0, now::get);

        assertThat(limit.tryAcquire("a")).isTrue();
        assertThat(limit.size()).isZero();
    }
}
