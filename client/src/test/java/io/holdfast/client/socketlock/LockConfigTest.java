package io.holdfast.client.socketlock;

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
    void has_the_defaults_of_the_protocol() {
        LockConfig config = LockConfig.defaults();

        assertThat(config.policy()).isEqualTo(Policy.FIFO);
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
    void takes_nothing_and_less_for_the_default() {
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
    void refuses_an_id_that_cannot_be_one(String id) {
        LockConfig.Builder builder = LockConfig.builder().clientId(id);

        assertThatIllegalArgumentException().isThrownBy(builder::build);
    }

    @Test
    void refuses_an_id_that_is_too_long() {
        LockConfig.Builder builder = LockConfig.builder().clientId("x".repeat(1025));

        assertThatIllegalArgumentException().isThrownBy(builder::build);
    }

    @ParameterizedTest
    @ValueSource(strings = {"me", "HELLO1", "c0-1", "~!@#"})
    void takes_any_other_id(String id) {
        assertThat(LockConfig.builder().clientId(id).build().clientId()).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-2562047788015215H-30M-8S", "PT-1S", "PT0S"})
    void a_span_of_nothing_or_less_is_no_time(Duration span) {
        assertThat(ClientState.nanos(span)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2562047788015215H30M7.999999999S", "P106751D", "P40000D"})
    void a_span_of_centuries_can_be_added_to_any_time(Duration span) {
        assertThat(System.nanoTime() + ClientState.nanos(span)).isGreaterThan(System.nanoTime());
        assertThat(ClientState.nanos(span)).isLessThanOrEqualTo(Long.MAX_VALUE / 4);
    }
}
