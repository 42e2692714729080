package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.serve.StandardStreams;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

@DisplayName("The command line")
class CommandsTest {
    /** How a run ended that was never meant to serve. */
    private record Ended(int status, String out, List<String> err) {
        static Ended of(String... words) {
            try (StandardStreams streams = new StandardStreams()) {
                int status = Main.run(List.of(words), Map.of());
                return new Ended(status, streams.out(), streams.errLines());
            }
        }
    }

    static Stream<String> commands() {
        return Main.commandLine(Map.of()).getSubcommands().entrySet().stream()
                .filter(c -> !c.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey);
    }

    @Test
    void has_these_commands() {
        assertThat(commands())
                .containsExactlyInAnyOrder(
                        "serve",
                        "dflockd",
                        "lockd",
                        "socketlockd",
                        "file",
                        "cluster",
                        "lock",
                        "sem",
                        "lead",
                        "signal",
                        "listen",
                        "kv",
                        "counter",
                        "list",
                        "info",
                        "stats",
                        "top",
                        "explain",
                        "completion",
                        "bench",
                        "soak",
                        "help",
                        "version");
    }

    @Test
    void tells_about_all_commands() {
        for (String word : List.of("--help", "-h")) {
            Ended ended = Ended.of(word);
            assertThat(ended.status()).isZero();
            assertThat(ended.err()).isEmpty();
            assertThat(ended.out()).startsWith("Usage: holdfast ");
            assertThat(commands())
                    .allSatisfy(
                            command -> assertThat(ended.out()).contains("\n  " + command + " "));
            assertThat(ended.out()).doesNotContain("train");
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void tells_about_one_command(String command) {
        Ended ended = Ended.of(command, "--help");
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .startsWith("Usage: holdfast " + command + " ")
                .contains("--help", "--version");
        assertThat(ended.out().lines()).allSatisfy(l -> assertThat(l).hasSizeLessThan(101));
    }

    @Test
    void tells_its_version() {
        for (String word : List.of("--version", "-V")) {
            Ended ended = Ended.of(word);
            assertThat(ended.status()).isZero();
            assertThat(ended.err()).isEmpty();
            assertThat(ended.out()).matches("holdfast \\S+\\R");
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void tells_the_same_about_it_when_asked_for_help(String command) {
        Ended ended = Ended.of("help", command);
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEqualTo(Ended.of(command, "--help").out());
    }

    @Test
    void gives_help_about_itself_and_about_a_command_below_another() {
        assertThat(Ended.of("help")).isEqualTo(Ended.of("--help"));
        assertThat(Ended.of("help", "kv", "get").out()).startsWith("Usage: holdfast kv get ");
        assertThat(Ended.of("version")).isEqualTo(Ended.of("--version"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"help xyzzy", "help kv xyzzy", "version now"})
    void gives_no_help_about_what_is_not_there(String words) {
        Ended ended = Ended.of(words.split(" "));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "sem k echo -- true|'echo' is not a whole number",
                "sem k 3000000000 -- true|'3000000000' is not a number from -2147483648 to"
                        + " 2147483647",
                "counter add k much|'much' is not a whole number",
                "counter set k 1e3|'1e3' is not a whole number",
                "bench --workers many|'many' is not a whole number",
                "soak --cycles 1.5|'1.5' is not a whole number"
            })
    void says_in_words_what_is_no_number(String words, String reason) {
        Ended ended = Ended.of(words.split(" "));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err().getFirst()).endsWith(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kv get k --tls-ca /no/ca|2|Cannot use the certificates in /no/ca (--tls-ca): no"
                        + " such file or directory",
                "kv get k --token-file /no/token|2|Cannot read the token file /no/token"
                        + " (--token-file): no such file or directory",
                "cluster restore --data-dir /no/data /no/backup|1|/no/backup: no such file or"
                        + " directory"
            })
    void names_the_file_that_it_cannot_use(String words, int status, String text) {
        Ended ended = Ended.of(words.split(" "));
        assertThat(ended.status()).isEqualTo(status);
        assertThat(ended.err().getFirst()).startsWith("Error: ").contains(text);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void tells_the_same_version_for_each_command(String command) {
        Ended ended = Ended.of(command, "--version");
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEqualTo(Ended.of("--version").out());
    }

    @Test
    void says_what_is_there_if_a_command_is_missing() {
        Ended ended = Ended.of();
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().getFirst()).isEqualTo("a command is missing");
        assertThat(ended.err()).anyMatch(line -> line.startsWith("Usage: holdfast "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"xyzzy", "--nope"})
    void says_what_is_there_if_a_command_is_unknown(String word) {
        Ended ended = Ended.of(word);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().getFirst()).contains("'" + word + "'");
        assertThat(ended.err()).anyMatch(line -> line.startsWith("Usage: holdfast "));
    }

    @Test
    void says_which_command_may_have_been_meant() {
        Ended ended = Ended.of("Serve");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).anyMatch(line -> line.startsWith("Did you mean: holdfast serve"));
    }

    @ParameterizedTest
    @CsvSource({
        "--nope,--nope",
        "extra,extra",
        "--port=1,--port",
        "--max-locks,--max-locks",
        "--max-locks=abc,--max-locks",
        "--max-locks=-1,--max-locks",
        "--debug=maybe,--debug",
        "--listen=ftp://127.0.0.1:1,--listen ftp://127.0.0.1:1",
        "--listen=dflockds://127.0.0.1:1,127.0.0.1:1",
        "--tls-key=k,--tls-key",
        "--auth-token-file=/does/not/exist,/does/not/exist"
    })
    void says_in_one_line_what_serve_cannot_use(String word, String named) {
        Ended ended = Ended.of("serve", word);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err())
                .singleElement()
                .asString()
                .startsWith("configuration error: ")
                .contains(named);
    }

    @Test
    void gives_dflockd_its_flags_untouched() {
        Ended ended = Ended.of("dflockd", "-port", "99999");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err())
                .containsExactly("configuration error: --port must be 0-65535 (got 99999)");
    }

    @Test
    void gives_lockd_its_options_untouched() {
        Ended ended = Ended.of("lockd", "-port", "0", "-ws", "0");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err())
                .containsExactly(
                        "configuration error: nothing is left to listen on: give --tcp, --unix or"
                                + " --ws");
    }

    @Test
    void gives_socketlockd_its_flags_untouched() {
        Ended ended = Ended.of("socketlockd", "-policy", "fifo");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).containsExactly("socket path is required");
    }
}
