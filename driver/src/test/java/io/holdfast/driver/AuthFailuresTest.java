package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class AuthFailuresTest {
    private static final String GUESSER = "192.0.2.1";
    private static final String OTHER = "192.0.2.2";

    private long nowNanos = Long.MAX_VALUE - 1; // overflows during the test
    private final AuthFailures failures = new AuthFailures(() -> nowNanos);

    private void fail(String address, int times) {
        for (int i = 0; i < times; i++) {
            failures.failed(address);
        }
    }

    @Test
    void an_address_is_slowed_after_some_failures_and_no_other_is() {
        fail(GUESSER, AuthFailures.FREE - 1);
        assertThat(failures.isSlowed(GUESSER)).isFalse();

        fail(GUESSER, 1);
        assertThat(failures.isSlowed(GUESSER)).isTrue();
        assertThat(failures.isSlowed(OTHER)).isFalse();
    }

    @Test
    void the_addresses_of_an_IPv6_network_count_as_one() {
        for (int i = 0; i < AuthFailures.FREE; i++) {
            failures.failed("2001:db8:1:2:" + i + "::1");
        }
        assertThat(failures.size()).isEqualTo(1);
        assertThat(failures.isSlowed("2001:db8:1:2:ffff::")).isTrue();
        assertThat(failures.isSlowed("2001:0db8:0001:0002:0:0:0:9%1")).isTrue();
        assertThat(failures.isSlowed("2001:db8:1:3::1")).isFalse();
        for (int i = 0; i < AuthFailures.MAX_DELAYED_PER_ADDRESS; i++) {
            assertThat(failures.beginDelay("2001:db8:1:2::" + i)).isTrue();
        }
        assertThat(failures.beginDelay("2001:db8:1:2::ffff")).isFalse();
        failures.endDelay("2001:db8:1:2::1");
        assertThat(failures.beginDelay("2001:db8:1:2::ffff")).isTrue();
        fail("of:no:address", 1);
        assertThat(failures.size()).isEqualTo(2);
    }

    @Test
    void an_address_with_occasional_failures_is_not_slowed() {
        for (int i = 0; i < 1000; i++) {
            failures.failed(GUESSER);
            assertThat(failures.isSlowed(GUESSER)).isFalse();
            nowNanos += AuthFailures.INTERVAL_NANOS;
        }
    }

    @Test
    void an_address_is_free_again_soon_after_its_last_failure_however_many_there_were() {
        fail(GUESSER, 100_000);
        nowNanos += AuthFailures.INTERVAL_NANOS;
        assertThat(failures.isSlowed(GUESSER)).isTrue();

        nowNanos += AuthFailures.INTERVAL_NANOS;
        assertThat(failures.isSlowed(GUESSER)).isFalse();
        fail(GUESSER, 1);
        assertThat(failures.isSlowed(GUESSER)).isTrue();
    }

    @Test
    void the_number_of_delayed_secrets_is_limited_per_address_and_in_total() {
        fail(GUESSER, AuthFailures.FREE);
        for (int i = 0; i < AuthFailures.MAX_DELAYED_PER_ADDRESS; i++) {
            assertThat(failures.beginDelay(GUESSER)).isTrue();
        }
        assertThat(failures.beginDelay(GUESSER)).isFalse();
        failures.endDelay(GUESSER);
        assertThat(failures.beginDelay(GUESSER)).isTrue();

        int delayed = AuthFailures.MAX_DELAYED_PER_ADDRESS;
        for (; delayed < AuthFailures.MAX_DELAYED; delayed++) {
            fail("host" + delayed, 1);
            assertThat(failures.beginDelay("host" + delayed)).isTrue();
        }
        fail(OTHER, 1);
        assertThat(failures.beginDelay(OTHER)).isFalse();
        failures.endDelay("host100");
        assertThat(failures.beginDelay(OTHER)).isTrue();
    }

    @Test
    void the_number_of_tracked_addresses_is_limited_and_the_least_recently_used_are_dropped() {
        for (int i = 0; i < 3 * AuthFailures.MAX_ADDRESSES; i++) {
            failures.failed("host" + i);
            assertThat(failures.size()).isLessThanOrEqualTo(AuthFailures.MAX_ADDRESSES);
        }
        fail(GUESSER, AuthFailures.FREE);
        for (int i = 1; i < AuthFailures.MAX_ADDRESSES; i++) {
            failures.failed("another" + i);
        }
        assertThat(failures.isSlowed(GUESSER)).isTrue();

        nowNanos += 100 * AuthFailures.INTERVAL_NANOS;
        failures.failed(OTHER);
        assertThat(failures.size()).isEqualTo(1);
    }
}
