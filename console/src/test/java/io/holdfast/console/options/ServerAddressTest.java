package io.holdfast.console.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A server address")
class ServerAddressTest {
    @Test
    void an_address_is_host_and_port() {
        assertThat(ServerAddress.parse("localhost:6388"))
                .isEqualTo(new ServerAddress("localhost", 6388))
                .hasToString("localhost:6388");
    }

    @Test
    void takes_an_ipv6_address_in_brackets() {
        assertThat(ServerAddress.parse("[::1]:6388"))
                .isEqualTo(new ServerAddress("::1", 6388))
                .hasToString("[::1]:6388");
    }

    @Test
    void an_address_with_a_scheme_is_rejected() {
        assertThatThrownBy(() -> ServerAddress.parse("http://localhost:6389"))
                .hasMessage("server \"http://localhost:6389\": give HOST:PORT, without a scheme");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "host",
                "host:",
                ":6388",
                "host:0",
                "host:65536",
                "host:-1",
                "host:x",
                "::1:6388",
                "host :1",
                "host:+1",
                "[]:1"
            })
    void a_malformed_address_is_rejected(String text) {
        assertThatThrownBy(() -> ServerAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("server");
    }
}
