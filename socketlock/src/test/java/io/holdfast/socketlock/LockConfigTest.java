package io.holdfast.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

@DisplayName("The configuration of a lock")
class LockConfigTest {
    @Test
    void the_defaults_are_those_of_the_protocol() {
        LockConfig config = LockConfig.defaults();

        assertThat(config.policy()).isEqualTo(SocketLockQueuePolicy.FIFO);
        assertThat(config.requestTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.confirmTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.maxTtl()).isZero();
        assertThat(config.statusInterval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.heartbeat()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.clientId()).isEmpty();
        assertThat(LockConfig.GRACE).isEqualTo(Duration.ofSeconds(5));
        assertThat(SocketLockClient.CONNECT_TIMEOUT).isEqualTo(Duration.ofSeconds(15));
    }

    @Test
    void zero_or_negative_durations_mean_the_default() {
        Duration less = Duration.ofSeconds(-1);
        LockConfig config =
                LockConfig.builder()
                        .requestTimeout(less)
                        .confirmTimeout(less)
                        .maxTtl(less)
                        .statusInterval(less)
                        .heartbeat(less)
                        .build();

        assertThat(config).isEqualTo(LockConfig.defaults());
    }

    @ParameterizedTest
    @ValueSource(strings = {"HELLO", "CONNECTED", "a b", "a\nb", "\u00e4", "\t", " "})
    void an_invalid_client_id_is_refused(String id) {
        LockConfig.Builder builder = LockConfig.builder().clientId(id);

        assertThatIllegalArgumentException().isThrownBy(builder::build);
    }

    @Test
    void a_client_id_that_is_too_long_is_refused() {
        LockConfig.Builder builder = LockConfig.builder().clientId("x".repeat(1025));

        assertThatIllegalArgumentException().isThrownBy(builder::build);
    }

    @ParameterizedTest
    @ValueSource(strings = {"me", "HELLO1", "c0-1", "~!@#"})
    void any_other_client_id_is_accepted(String id) {
        assertThat(LockConfig.builder().clientId(id).build().clientId()).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-2562047788015215H-30M-8S", "PT-1S", "PT0S"})
    void a_zero_or_negative_duration_is_zero_nanoseconds(Duration span) {
        assertThat(ClientState.nanos(span)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2562047788015215H30M7.999999999S", "P106751D", "P40000D"})
    void a_duration_of_centuries_can_be_added_to_any_time(Duration span) {
        assertThat(System.nanoTime() + ClientState.nanos(span)).isGreaterThan(System.nanoTime());
        assertThat(ClientState.nanos(span)).isLessThanOrEqualTo(Long.MAX_VALUE / 4);
    }
}
