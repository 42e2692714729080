package io.holdfast.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.serve.StandardStreams;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

@DisplayName("The server options")
class ServerOptionsTest {
    /** The server that a command would connect to, and its output. */
    private record Tried(int status, ServerTarget target, List<String> err) {}

    /** Ends a command before it connects. */
    private static final class NotConnected extends IllegalStateException {}

    private static Tried attempt(Map<String, String> environment, String... args) {
        AtomicReference<ServerTarget> target = new AtomicReference<>();
        ClientEnvironment clientEnvironment =
                new ClientEnvironment(
                        environment,
                        wanted -> {
                            target.set(wanted);
                            throw new NotConnected();
                        });
        // picocli captures System.err when the command line is created
        try (StandardStreams streams = new StandardStreams()) {
            CommandLine line =
                    Objects.requireNonNull(ClientCommands.all(clientEnvironment).get(args[0]))
                            .get();
            int status = line.execute(List.of(args).subList(1, args.length).toArray(String[]::new));
            return new Tried(status, target.get(), streams.errLines());
        }
    }

    private static ServerTarget target(Map<String, String> environment, String... options) {
        String[] args = new String[options.length + 1];
        args[0] = "stats";
        System.arraycopy(options, 0, args, 1, options.length);
        Tried tried = attempt(environment, args);
        assertThat(tried.target()).as("%s", tried.err()).isNotNull();
        return tried.target();
    }

    @Test
    void without_options_the_default_server_is_used() {
        ServerTarget serverTarget = target(Map.of("HOLDFAST_SERVER", ""));
        assertThat(serverTarget.kind()).isEqualTo(ServerTarget.Kind.SERVER);
        assertThat(serverTarget.addresses()).containsExactly("127.0.0.1:6388");
        assertThat(serverTarget.token()).isEmpty();
        assertThat(serverTarget.tls()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"server,SERVER,a:1", "server,SERVER,'a:1,b:2'", "shards,SHARDS,'a:1, b:2'"})
    void addresses_can_be_given_as_variables(String name, ServerTarget.Kind kind, String value) {
        ServerTarget option = target(Map.of(), "--" + name, value);
        ServerTarget variable =
                target(Map.of("HOLDFAST_" + name.toUpperCase(java.util.Locale.ROOT), value));
        assertThat(List.of(option, variable))
                .allSatisfy(
                        serverTarget -> {
                            assertThat(serverTarget.kind()).isEqualTo(kind);
                            assertThat(serverTarget.addresses())
                                    .containsExactly(value.split(", ?"));
                        });
    }

    @Test
    void the_commands_that_hold_a_lock_take_a_grace_period() {
        for (String command : List.of("lock k", "sem k 2", "lead k")) {
            String args = command + " --grace 750ms -- true";
            assertThat(attempt(Map.of(), args.split(" ")).target().grace())
                    .contains(Duration.ofMillis(750));
        }
        assertThat(attempt(Map.of(), "lock", "k", "--", "true").target().grace()).isEmpty();
    }

    @Test
    void an_address_option_overrides_all_address_variables() {
        ServerTarget serverTarget = target(Map.of("HOLDFAST_SHARDS", "a:1,b:2"), "--server", "c:3");
        assertThat(serverTarget.kind()).isEqualTo(ServerTarget.Kind.SERVER);
        assertThat(serverTarget.addresses()).containsExactly("c:3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stats --server a:1 --shards b:2",
                "stats --server a:1,,b:2",
                "stats --server nowhere",
                "stats --cluster a:1",
                "stats --ca-file f",
                "stats --tls-ca f --no-tls",
                "stats --nope",
                "lock",
                "lock k",
                "lock k true",
                "lock k --",
                "lock k --read --write -- true",
                "lock k --read --semaphore 2 -- true",
                "lock k --semaphore 0 -- true",
                "lock k --lease 0 -- true",
                "lock k --on-lost shrug -- true",
                "lock k --timeout soon -- true",
                "lock k --conflict-exit-code 256 -- true",
                "sem k -- true",
                "sem k 0 -- true",
                "lead k --on-lost ignore -- true",
                "kv",
                "kv put k",
                "kv put k v --ttl 0.5",
                "counter add k x",
                "counter set k",
                "list range k --nope",
                "listen",
                "listen p --count 0"
            })
    void invalid_or_contradictory_options_are_rejected(String args) {
        Tried tried = attempt(Map.of(), args.split(" "));
        assertThat(tried.status()).as("%s", tried.err()).isEqualTo(2);
        assertThat(tried.target()).isNull();
        assertThat(tried.err().getFirst()).startsWith("Error: ");
        assertThat(tried.err()).element(1).asString().matches("Try '.* --help'\\.");
    }

    @Test
    void two_address_variables_are_rejected() {
        Tried tried = attempt(Map.of("HOLDFAST_SERVER", "a:1", "HOLDFAST_SHARDS", "b:2"), "stats");
        assertThat(tried.status()).isEqualTo(2);
        assertThat(tried.err().getFirst()).contains("HOLDFAST_SERVER", "HOLDFAST_SHARDS");
    }

    @ParameterizedTest
    @CsvSource({"--tls,,true", "--no-tls,true,false", ",yes,true", ",0,false", ",,false"})
    void tls_is_chosen_by_option_or_variable(String option, String variable, boolean expected) {
        Map<String, String> environment =
                variable == null ? Map.of() : Map.of("HOLDFAST_TLS", variable);
        ServerTarget serverTarget =
                option == null ? target(environment) : target(environment, option);
        assertThat(serverTarget.tls()).isEqualTo(expected);
    }

    @Test
    void certificates_imply_tls() {
        ServerTarget serverTarget = target(Map.of("HOLDFAST_TLS_CA", "ca.pem"));
        assertThat(serverTarget.tls()).isTrue();
        assertThat(serverTarget.trusted()).contains(Path.of("ca.pem"));
    }

    @Test
    void the_token_comes_from_a_file_or_a_variable(@TempDir Path folder) throws IOException {
        String file = Files.writeString(folder.resolve("token"), "from-file\n").toString();
        Map<String, String> both =
                Map.of("HOLDFAST_TOKEN", "from-variable", "HOLDFAST_TOKEN_FILE", file);
        assertThat(token(target(both))).isEqualTo("from-variable");
        assertThat(token(target(both, "--token-file", file))).isEqualTo("from-file");
        assertThat(token(target(Map.of("HOLDFAST_TOKEN_FILE", file)))).isEqualTo("from-file");
        assertThat(target(both).toString()).doesNotContain("from-variable");
    }

    private static String token(ServerTarget serverTarget) {
        return serverTarget.token().orElseThrow().get();
    }

    @Test
    void no_client_variable_is_a_variable_of_the_server() {
        List<String> servers =
                io.holdfast.cli.serve.ServeCommand.create(Map.of())
                        .getCommandSpec()
                        .optionsMap()
                        .keySet()
                        .stream()
                        .filter(flag -> !flag.equals("--http")) // HOLDFAST_SERVE_HTTP
                        .map(
                                flag ->
                                        "HOLDFAST_"
                                                + flag.replaceFirst("^--", "")
                                                        .replace('-', '_')
                                                        .toUpperCase(java.util.Locale.ROOT))
                        .toList();
        assertThat(servers).contains("HOLDFAST_TLS_CERT", "HOLDFAST_AUTH_TOKEN");
        assertThat(ServerOptions.VARIABLES).doesNotContainAnyElementsOf(servers);
        assertThat(List.of(CommandUnderHold.KEY, CommandUnderHold.FENCE))
                .doesNotContainAnyElementsOf(servers);
    }

    @Test
    void a_failure_has_another_exit_status_than_an_absent_value() {
        Tried tried = attempt(Map.of(), "kv", "get", "k");
        assertThat(tried.status()).isEqualTo(3);
        assertThat(tried.err()).singleElement().asString().startsWith("Error: ");
    }
}
