package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.console.options.ServerAddress;
import io.holdfast.verification.bench.LineServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.time.Duration;

@DisplayName("A connection of the soak test")
@Timeout(120)
class SoakConnectionIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /**
     * A server that responds with the argument of the request, in which a bar stands for a line
     * break.
     */
    private final LineServer server =
            LineServer.start(request -> request.argument().replace('|', '\n'));

    private SoakConnection connection;

    @BeforeEach
    void connect() throws IOException, CheckFailedException {
        connection = SoakConnection.open(ServerAddress.parse(server.address()), null, null);
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        server.close();
    }

    @Test
    void signals_are_distinguished_from_responses_and_kept_in_order() throws Exception {
        assertThat(connection.request("listen", "k", "sig k 1|ok")).isEqualTo("ok");
        assertThat(connection.request("get", "k", "sig k 2|sig k 3|ok 7|sig k 4"))
                .isEqualTo("ok 7");
        assertThat(connection.request("get", "k", "ok 8")).isEqualTo("ok 8");
        for (int i = 1; i <= 4; i++) {
            assertThat(connection.nextSignal(TIMEOUT)).isEqualTo(new PushedSignal("k", "" + i));
        }
        assertThatCode(connection::expectNoSignal).doesNotThrowAnyException();
    }

    @Test
    void the_connection_waits_for_a_signal_after_the_response() throws Exception {
        connection.expect("ok", "listen", "k", "ok|sig k 1");
        assertThatCode(connection::expectNoSignal).doesNotThrowAnyException();
        assertThat(connection.nextSignal(TIMEOUT)).isEqualTo(new PushedSignal("k", "1"));
    }

    @Test
    void the_wait_for_a_signal_times_out() throws Exception {
        connection.expect("ok", "listen", "k", "ok");
        assertThatThrownBy(() -> connection.nextSignal(Duration.ofMillis(30)))
                .isInstanceOf(IOException.class)
                .hasMessage("no signal within 30 ms");
    }

    @Test
    void a_response_is_not_taken_for_a_signal() throws Exception {
        connection.expect("ok", "listen", "k", "ok|ok 7");
        assertThatThrownBy(() -> connection.nextSignal(TIMEOUT))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("got \"ok 7\", want \"sig <channel> <payload>\"");
    }

    @Test
    void a_signal_without_listening_fails_the_check() {
        assertThatThrownBy(() -> connection.request("get", "k", "sig k 1|ok 7"))
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("got \"sig k 1\" without listening");
    }

    @Test
    void a_signal_that_was_not_taken_fails_the_check() throws Exception {
        connection.expect("ok", "listen", "k", "sig k 1|ok");
        assertThatThrownBy(connection::expectNoSignal)
                .isInstanceOf(CheckFailedException.class)
                .hasMessage("one signal too many: \"sig k 1\"");
    }
}
