package io.holdfast.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

@DisplayName("The address of a server")
class LockdServerAddressTest {
    @Test
    void an_address_with_only_a_port_is_this_machine() {
        assertThat(LockdServerAddress.parse("9999").address())
                .isEqualTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9999));
    }

    @Test
    void a_host_name_is_looked_up_later() throws Exception {
        LockdServerAddress lockdServerAddress = LockdServerAddress.parse("my_host-1.example:65535");
        assertThat(lockdServerAddress.text()).isEqualTo("my_host-1.example:65535");
        assertThat(lockdServerAddress.needsLookup()).isTrue();
        assertThat(LockdServerAddress.parse("127.0.0.1:1").lookUp())
                .containsExactly(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
    }

    @Test
    void an_address_may_be_a_socket_address_or_a_path() throws Exception {
        var six = new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 7);
        assertThat(LockdServerAddress.of(six).text()).endsWith("]:7").startsWith("[");
        assertThat(LockdServerAddress.of(Path.of("/run/lockd.sock")).text())
                .isEqualTo("/run/lockd.sock");
        assertThat(LockdServerAddress.of(Path.of("/run/lockd.sock")).isUnix()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "localhost:0", "00000"})
    void port_0_is_refused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockdClient.connect(text))
                .withMessage("Port 0 is not valid.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "host:",
                ":9999",
                "a b:1",
                "h:1:2",
                "[::1]:9999",
                "65536",
                "-1",
                "9999\n",
                "h:\u0661"
            })
    void any_other_text_is_refused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockdClient.connect(text))
                .withMessage("Invalid [host:]port string: " + text);
    }
}
