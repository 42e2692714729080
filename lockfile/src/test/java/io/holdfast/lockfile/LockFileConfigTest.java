package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;

@DisplayName("The settings of a lock file")
class LockFileConfigTest {
    @Test
    void the_default_settings_are_those_of_the_published_protocol() {
        var config = LockFileConfig.defaults();
        assertThat(config.staleTimeout()).contains(Duration.ofHours(1));
        assertThat(config.stalePolicy()).isEqualTo(StalePolicy.AGE);
        assertThat(config.retryInterval()).isEqualTo(Duration.ofMillis(100));
        assertThat(config.acquireTimeout()).isEmpty();
        assertThat(config.tag()).isEmpty();
        assertThat(config.maxTagLength()).isEqualTo(10_000);
        assertThat(config.settleTime()).isZero();
        assertThat(config.heartbeat()).isTrue();
        assertThat(config.heartbeatInterval()).isEqualTo(Duration.ofMinutes(15));
        assertThat(config.releaseOnExit()).isTrue();
        assertThat(config.followLinks()).isFalse();
        assertThat(config.privateFile()).isFalse();
        assertThat(config.pid()).isEmpty();
    }

    @Test
    void the_default_heartbeat_interval_is_a_quarter_of_the_stale_timeout_up_to_an_hour() {
        assertThat(beatFor(Duration.ofSeconds(2))).isEqualTo(Duration.ofMillis(500));
        assertThat(beatFor(Duration.ofSeconds(1))).isEqualTo(Duration.ofMillis(250));
        assertThat(beatFor(Duration.ofDays(365_000_000))).isEqualTo(Duration.ofHours(1));
        assertThat(LockFileConfig.builder().neverStale().build().heartbeatInterval())
                .isEqualTo(Duration.ofMinutes(15));
    }

    private static Duration beatFor(Duration staleTimeout) {
        return LockFileConfig.builder().staleTimeout(staleTimeout).build().heartbeatInterval();
    }

    @Test
    void an_invalid_setting_is_refused_with_its_name() {
        assertRefused(
                LockFileConfig.builder().staleTimeout(Duration.ofSeconds(-1)), "staleTimeout");
        assertRefused(LockFileConfig.builder().retryInterval(Duration.ZERO), "retryInterval");
        assertRefused(
                LockFileConfig.builder().acquireTimeout(Duration.ofSeconds(-1)), "acquireTimeout");
        assertRefused(LockFileConfig.builder().maxTagLength(10_001), "maxTagLength");
        assertRefused(LockFileConfig.builder().settleTime(Duration.ofMillis(-1)), "settleTime");
        assertRefused(
                LockFileConfig.builder().heartbeatInterval(Duration.ZERO), "heartbeatInterval");
        assertRefused(
                LockFileConfig.builder()
                        .staleTimeout(Duration.ofSeconds(5))
                        .heartbeatInterval(Duration.ofSeconds(3)),
                "half of staleTimeout");
        assertRefused(LockFileConfig.builder().pid(-1), "pid");
        assertRefused(LockFileConfig.builder().pid(4294967296L), "pid");
    }

    private static void assertRefused(LockFileConfig.Builder builder, String name) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }
}
