package io.holdfast.client.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

@DisplayName("The place of a server")
class LockdServerAddressTest {
    @Test
    void is_this_machine_when_only_a_port_is_given() {
        assertThat(LockdServerAddress.parse("9999").address())
                .isEqualTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9999));
    }

    @Test
    void is_the_host_that_is_named_and_looked_up_later() throws Exception {
        LockdServerAddress lockdServerAddress = LockdServerAddress.parse("my_host-1.example:65535");
        assertThat(lockdServerAddress.text()).isEqualTo("my_host-1.example:65535");
        assertThat(lockdServerAddress.needsLookup()).isTrue();
        assertThat(LockdServerAddress.parse("127.0.0.1:1").lookUp())
                .containsExactly(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
    }

    @Test
    void may_be_an_address_or_a_path() throws Exception {
        var six = new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 7);
        assertThat(LockdServerAddress.of(six).text()).endsWith("]:7").startsWith("[");
        assertThat(LockdServerAddress.of(Path.of("/run/lockd.sock")).text())
                .isEqualTo("/run/lockd.sock");
        assertThat(LockdServerAddress.of(Path.of("/run/lockd.sock")).isUnix()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "localhost:0", "00000"})
    void has_no_port_0(String text) {
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
    void is_nowhere_in_other_text(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockdClient.connect(text))
                .withMessage("Invalid [host:]port string: " + text);
    }
}
