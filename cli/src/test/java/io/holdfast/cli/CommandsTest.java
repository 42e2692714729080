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
    /** The result of a command that ends by itself. */
    private record Ended(int status, String out, List<String> err) {
        static Ended of(String... args) {
            try (StandardStreams streams = new StandardStreams()) {
                int status = Main.run(List.of(args), Map.of());
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
    void the_root_command_has_these_subcommands() {
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
    void the_help_of_the_root_lists_all_commands() {
        for (String arg : List.of("--help", "-h")) {
            Ended ended = Ended.of(arg);
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
    void each_command_has_help_of_at_most_100_columns(String command) {
        Ended ended = Ended.of(command, "--help");
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .startsWith("Usage: holdfast " + command + " ")
                .contains("--help", "--version");
        assertThat(ended.out().lines()).allSatisfy(l -> assertThat(l).hasSizeLessThan(101));
    }

    @Test
    void the_version_is_printed() {
        for (String arg : List.of("--version", "-V")) {
            Ended ended = Ended.of(arg);
            assertThat(ended.status()).isZero();
            assertThat(ended.err()).isEmpty();
            assertThat(ended.out()).matches("holdfast \\S+\\R");
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void help_COMMAND_prints_the_same_as_COMMAND_help(String command) {
        Ended ended = Ended.of("help", command);
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEqualTo(Ended.of(command, "--help").out());
    }

    @Test
    void help_covers_itself_and_nested_commands() {
        assertThat(Ended.of("help")).isEqualTo(Ended.of("--help"));
        assertThat(Ended.of("help", "kv", "get").out()).startsWith("Usage: holdfast kv get ");
        assertThat(Ended.of("version")).isEqualTo(Ended.of("--version"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"help xyzzy", "help kv xyzzy", "version now"})
    void help_about_an_unknown_command_is_a_usage_error(String args) {
        Ended ended = Ended.of(args.split(" "));
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
    void an_invalid_number_is_a_usage_error_that_names_the_value(String args, String reason) {
        Ended ended = Ended.of(args.split(" "));
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
                        + " directory",
                "cluster recover --data-dir /no/data --cluster n1=h:1 --node n1|1|/no/data is not"
                        + " the data directory of a node"
            })
    void an_unreadable_file_is_an_error_that_names_the_file(String args, int status, String text) {
        Ended ended = Ended.of(args.split(" "));
        assertThat(ended.status()).isEqualTo(status);
        assertThat(ended.err().getFirst()).startsWith("Error: ").contains(text);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void each_command_prints_the_same_version(String command) {
        Ended ended = Ended.of(command, "--version");
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEqualTo(Ended.of("--version").out());
    }

    @Test
    void a_missing_command_prints_the_usage() {
        Ended ended = Ended.of();
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().getFirst()).isEqualTo("a command is missing");
        assertThat(ended.err()).anyMatch(line -> line.startsWith("Usage: holdfast "));
    }

    @Test
    void an_unknown_option_of_the_root_prints_the_usage() {
        Ended ended = Ended.of("--nope");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().getFirst()).contains("'--nope'");
        assertThat(ended.err()).anyMatch(line -> line.startsWith("Usage: holdfast "));
    }

    @Test
    void an_unknown_command_is_named_and_the_help_is_pointed_to() {
        Ended ended = Ended.of("xyzzy", "k");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().getFirst()).isEqualTo("unknown command: 'xyzzy'");
        assertThat(ended.err().getLast()).contains("holdfast help");
    }

    @Test
    void a_misspelled_command_prints_a_suggestion() {
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
    void an_invalid_setting_of_serve_prints_one_line_that_names_it(String arg, String named) {
        Ended ended = Ended.of("serve", arg);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err())
                .singleElement()
                .asString()
                .startsWith("configuration error: ")
                .contains(named);
    }

    @ParameterizedTest
    @CsvSource({
        "dflockd, help",
        "dflockd, version",
        "lockd, help",
        "lockd, version",
        "socketlockd, help",
        "socketlockd, version"
    })
    void help_or_version_after_a_drop_in_command_is_read_as_the_flag(String command, String word) {
        Ended ended = Ended.of(command, word);
        assertThat(ended.status()).isZero();
        assertThat(ended).isEqualTo(Ended.of(command, "--" + word));
    }

    @Test
    void dflockd_parses_its_own_flags() {
        Ended ended = Ended.of("dflockd", "-port", "99999");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err())
                .containsExactly("configuration error: --port must be 0-65535 (got 99999)");
    }

    @Test
    void lockd_parses_its_own_options() {
        Ended ended = Ended.of("lockd", "-port", "0", "-ws", "0");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err())
                .containsExactly(
                        "configuration error: no address to listen on: give --tcp, --unix or"
                                + " --ws");
    }

    @Test
    void socketlockd_parses_its_own_flags() {
        Ended ended = Ended.of("socketlockd", "-policy", "fifo");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).containsExactly("socket path is required");
    }
}
