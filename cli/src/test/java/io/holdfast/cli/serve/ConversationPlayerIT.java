package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

/** Proves that the player detects differences. */
@DisplayName("The player of recorded conversations")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConversationPlayerIT {
    private StandardStreams streams;
    private RunningServer server;

    @BeforeAll
    void start() throws Exception {
        streams = new StandardStreams();
        server = RunningServer.start(java.util.List.of("--read-timeout", "600"));
    }

    @AfterAll
    void stop() {
        server.close();
        streams.close();
    }

    private void play(String... steps) throws InterruptedException {
        ConversationPlayer.play(
                ConversationScript.of("here.vec", String.join("\n", steps)),
                server.address(),
                Duration.ZERO);
    }

    @Test
    void a_conversation_that_matches_the_server_passes() {
        assertThatCode(
                        () ->
                                play(
                                        "@title  a lock",
                                        "# a comment",
                                        "",
                                        "a open",
                                        "a > l",
                                        "a > plays",
                                        "a > 0",
                                        "a < ok {t:token} 33  ~2",
                                        "a silent 0.05",
                                        "b open",
                                        "b >> r\\nplays\\n{t}\\x0a",
                                        "b < ok",
                                        "a close",
                                        "b >> ping\\r\\n\\n\\nnope\\n\\n\\n",
                                        "b * 2",
                                        "b < error",
                                        "b < ok"))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a < ok                | a >> nope\\n\\n\\n     | got "error"
                    a < ok {x:token} 33   | a >> ping\\n\\n\\n     | got "ok"
                    a < o                 | a >> ping\\n\\n\\n     | got "ok"
                    a < k                 | a >> ping\\n\\n\\n     | got "ok"
                    a < ok {t:int}        | a >> e\\nfails\\n3\\n  | got "acquired
                    a < {o:int}           | a >> ping\\n\\n\\n     | got "ok"
                    a < ok ~0.1           | a >> ping\\n           | no line within
                    a < {never}           | a >> ping\\n\\n\\n     | nothing was captured as never
                    a < {x:nonsense}      | a >> ping\\n\\n\\n     | no such type
                    a eof ~0.1            | a >> ping\\n           | still open
                    a eof ~2              | a >> GET HTTP/1.1\\n   |
                    a < ok                | a >> GET HTTP/1.1\\n   | connection closed
                    a silent 1            | a >> GET HTTP/1.1\\n   | and the end
                    a silent 1            | a >> ping\\n\\n\\n     | expected silence, got "ok\\n"
                    a jump                | a >> ping\\n           | no such step
                    b > ping              | a >> ping\\n           | b is not open
                    a > {never}           | a >> ping\\n           | nothing was captured as never
                    """)
    void a_conversation_fails_where_the_server_differs(String step, String before, String failure) {
        String line = step.strip();
        if (failure == null) {
            assertThatCode(() -> play("a open", before.strip(), line)).doesNotThrowAnyException();
            return;
        }
        assertThatThrownBy(() -> play("a open", before.strip(), line))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("here.vec:3: " + line + ": ")
                .hasMessageContaining(failure);
    }

    @Test
    void output_before_an_expected_close_fails() {
        String tooLong = "a >> " + "x".repeat(300) + "\\n";
        assertThatThrownBy(() -> play("a open", tooLong, "a eof ~2"))
                .hasMessageContaining("closed, but first sent \"error\\n\"");
    }

    @Test
    void a_captured_value_that_is_not_repeated_fails() {
        assertThatThrownBy(
                        () ->
                                play(
                                        "a open",
                                        "a >> l\\nagain1\\n0\\nl\\nagain2\\n0\\n",
                                        "a < ok {t:token} 33",
                                        "a < ok {t} 33"))
                .hasMessageContaining("here.vec:4:");
        assertThatThrownBy(() -> play("a open", "a >> ping\\n\\n\\n", "a < {x:word}{x}"))
                .hasMessageContaining("got \"ok\"");
    }

    @Test
    void unexpected_lines_among_lines_in_any_order_fail() {
        assertThatThrownBy(
                        () ->
                                play(
                                        "a open",
                                        "a >> ping\\n\\n\\nping\\n\\n\\n",
                                        "a * 2",
                                        "a < ok",
                                        "a < error"))
                .hasMessageContaining("here.vec:5:")
                .hasMessageContaining("expected [error], got \"ok\"");
        assertThatThrownBy(() -> play("a open", "a * 2", "a < ok"))
                .hasMessageContaining("only 1 follow");
    }

    @Test
    void the_headers_are_parsed() {
        ConversationScript conversationScript =
                ConversationScript.of(
                        "x.vec", "@title  two words\n@serve  --max-locks 2  --debug\na open\n");
        assertThat(conversationScript.title()).isEqualTo("two words");
        assertThat(conversationScript.serve()).containsExactly("--max-locks", "2", "--debug");
        assertThat(ConversationScript.of("x.vec", "a open").serve()).isEmpty();
    }
}
