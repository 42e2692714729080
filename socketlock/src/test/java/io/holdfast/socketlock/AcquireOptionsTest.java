package io.holdfast.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

@DisplayName("The options of an acquire")
class AcquireOptionsTest {
    @ParameterizedTest
    @CsvSource({
        "PT1.2S, 2",
        "PT0.000000001S, 1",
        "PT1S, 1",
        "PT2S, 2",
        "PT0S, 0",
        "PT-1S, 0",
        "PT-0.5S, 0",
        "PT2562047788015215H30M7.999999999S, 9223372036854775807"
    })
    void a_time_to_live_is_rounded_up_to_whole_seconds(Duration ttl, long seconds) {
        assertThat(AcquireOptions.ttl(ttl).ttlSeconds()).isEqualTo(seconds);
    }

    @Test
    void by_default_there_is_no_time_to_live_and_no_timeout() {
        assertThat(AcquireOptions.NONE.ttlSeconds()).isZero();
        assertThat(AcquireOptions.NONE.timeout()).isNull();
    }

    @Test
    void a_time_to_live_and_a_timeout_can_be_combined() {
        AcquireOptions options =
                AcquireOptions.ttl(Duration.ofSeconds(3)).withTimeout(Duration.ofMillis(5));

        assertThat(options.ttlSeconds()).isEqualTo(3);
        assertThat(options.timeout()).isEqualTo(Duration.ofMillis(5));
        assertThat(AcquireOptions.timeout(Duration.ofMillis(5)).ttlSeconds()).isZero();
    }
}
