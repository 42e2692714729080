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

/** A player that lets everything pass would make every example worthless. */
@DisplayName("The player of examples")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@NeedsProgram(OutsideProgram.NC)
class ExamplePlayerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration IMPATIENCE = Duration.ofMillis(300);

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

    private void play(Duration patience, String... lines) throws Exception {
        Page.Block block = new Page.Block("console", "here", 1, List.of(lines));
        ExamplePlayer.play(Example.of("here", block), server, patience);
    }

    @Test
    void plays_what_the_server_does() {
        assertThatCode(
                        () ->
                                play(
                                        PATIENCE,
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
    void fails_when_a_command_prints_something_else(
            String input, String expected, String complaint) {
        String command = "$ printf '" + input + "' | nc -N 127.0.0.1 6388";
        assertThatThrownBy(() -> play(PATIENCE, (command + ";" + expected).split(";")))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("here:")
                .hasMessageContaining(complaint);
    }

    @Test
    void fails_when_a_command_does_not_end() {
        String slow = "$ (printf 'ping\\n\\n\\n'; sleep 60) | nc -N 127.0.0.1 6388";
        assertThatThrownBy(() -> play(IMPATIENCE, slow, "ok"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("here:1: the command does not end");
    }

    @Test
    void fails_when_an_answer_is_another() {
        assertThatThrownBy(
                        () ->
                                play(
                                        PATIENCE,
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
    void fails_when_a_signal_does_not_come() {
        assertThatThrownBy(() -> play(IMPATIENCE, "$ nc -N 127.0.0.1 6388", "sig a b"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("here:2: nothing comes, instead of: sig a b");
    }

    @Test
    void fails_when_more_comes_than_the_page_shows() {
        assertThatThrownBy(
                        () ->
                                play(
                                        PATIENCE,
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
    void fails_when_a_server_does_not_start() {
        Page.Block block =
                new Page.Block(
                        "console",
                        "here",
                        1,
                        List.of("# server", "$ ./holdfast dflockd --max-locks none"));
        assertThatThrownBy(() -> ExamplePlayer.play(Example.of("here", block), PATIENCE))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("configuration error");
    }
}
