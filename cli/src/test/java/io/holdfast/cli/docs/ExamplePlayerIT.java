package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;

/** Proves that the player detects differences. */
@DisplayName("The player of examples")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@NeedsProgram(OutsideProgram.NC)
class ExamplePlayerIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(300);

    private ExampleServer server;

    @BeforeAll
    void start() throws Exception {
        server = new ExampleServer(List.of("dflockd"));
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private void play(Duration timeout, String... lines) throws Exception {
        Page.Block block = new Page.Block("console", "here", 1, List.of(lines));
        ExamplePlayer.play(Example.of("here", block), server, timeout);
    }

    @Test
    void an_example_that_matches_the_server_passes() {
        assertThatCode(
                        () ->
                                play(
                                        TIMEOUT,
                                        "$ printf 'ping\\n\\n\\n' | nc -N 127.0.0.1 6388",
                                        "ok",
                                        "# terminal 2",
                                        "$ nc -N 127.0.0.1 6388",
                                        "l",
                                        "plays",
                                        "0",
                                        "ok TOKEN 33",
                                        "r",
                                        "plays",
                                        "TOKEN",
                                        "ok"))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ping\\n\\n\\n                 | ok 1                | but got: ok
                    ping\\n\\n\\n                 | o                   | but got: ok
                    ping\\n\\n\\nping\\n\\n\\n    | ok                  | there is more: [ok]
                    ping\\n                       | ok                  | nothing comes, instead of: ok
                    l\\nfails\\n0\\n              | ok TOKEN 34         | but got: ok
                    l\\nfails\\n0\\n              | ok SECONDS 33       | but got: ok
                    e\\nfails\\n\\nw\\nfails\\n0\\n | acquired TOKEN1 33;ok TOKEN2 33 | but got: ok
                    sl\\nf\\n0 2\\nsl\\nf\\n0 2\\n | ok TOKEN 33;ok TOKEN 33 | but got: ok
                    """)
    void an_example_fails_if_a_command_prints_something_else(
            String input, String expected, String complaint) {
        String command = "$ printf '" + input + "' | nc -N 127.0.0.1 6388";
        assertThatThrownBy(() -> play(TIMEOUT, (command + ";" + expected).split(";")))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("here:")
                .hasMessageContaining(complaint);
    }

    @Test
    void an_example_fails_if_a_command_does_not_end() {
        String slow = "$ (printf 'ping\\n\\n\\n'; sleep 60) | nc -N 127.0.0.1 6388";
        assertThatThrownBy(() -> play(SHORT_TIMEOUT, slow, "ok"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("here:1: the command does not end");
    }

    @Test
    void an_example_fails_if_a_response_differs() {
        assertThatThrownBy(
                        () ->
                                play(
                                        TIMEOUT,
                                        "$ nc -N 127.0.0.1 6388",
                                        "ping",
                                        "",
                                        "",
                                        "sig a b",
                                        "ok"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("here:5: expected: sig a b")
                .hasMessageEndingWith("but got: ok");
    }

    @Test
    void an_example_fails_if_a_signal_is_not_delivered() {
        assertThatThrownBy(() -> play(SHORT_TIMEOUT, "$ nc -N 127.0.0.1 6388", "sig a b"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("here:2: nothing comes, instead of: sig a b");
    }

    @Test
    void an_example_fails_if_there_is_more_output_than_the_page_shows() {
        assertThatThrownBy(
                        () ->
                                play(
                                        TIMEOUT,
                                        "$ nc -N 127.0.0.1 6388",
                                        "listen",
                                        "more",
                                        "",
                                        "ok",
                                        "# terminal 2",
                                        "$ printf 'signal\\nmore\\nx\\n' | nc -N 127.0.0.1 6388",
                                        "ok 1"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("here:1: more in terminal 1: [sig more x]");
    }

    @Test
    void an_example_fails_if_its_server_does_not_start() {
        Page.Block block =
                new Page.Block(
                        "console",
                        "here",
                        1,
                        List.of("# server", "$ ./holdfast dflockd --max-locks none"));
        assertThatThrownBy(() -> ExamplePlayer.play(Example.of("here", block), TIMEOUT))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("configuration error");
    }
}
