package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.Secret;
import io.holdfast.driver.config.ConfigException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

@DisplayName("The secret")
class SecretIT {
    @TempDir private Path folder;
    private String first;
    private String second;

    @BeforeEach
    void writeFiles() throws IOException {
        first = file("first", "in-first-file\n");
        second = file("second", "in-second-file\n");
    }

    private String file(String name, String content) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, content);
        return file.toString();
    }

    private static @Nullable Secret dflockd(Map<String, String> environment, String... args) {
        try {
            return DflockdCommand.plan(
                            GoFlags.parse(List.of(args), DflockdCommand::isSwitch), environment)
                    .server()
                    .secret();
        } catch (GoFlags.FlagException e) {
            throw new AssertionError(e);
        }
    }

    private static @Nullable Secret serve(Map<String, String> environment, String... args) {
        CommandLine line = ServeCommand.create(environment);
        line.parseArgs(args);
        ServeCommand command = line.getCommand();
        return command.plan().server().secret();
    }

    private static void assertIs(@Nullable Secret secret, String text) {
        assertThat(secret).isNotNull();
        assertThat(secret.matches(text.getBytes(StandardCharsets.UTF_8))).as(text).isTrue();
        assertThat(secret.matches((text + "x").getBytes(StandardCharsets.UTF_8))).isFalse();
        assertThat(secret).hasToString("***");
    }

    @Nested
    @DisplayName("dflockd")
    class OfDflockd {
        @Test
        void dflockd_uses_the_first_of_two_variables_and_two_flags() {
            String[] flags = {"--auth-token", "flag", "--auth-token-file", second};
            Map<String, String> set = new HashMap<>();
            set.put("DFLOCKD_AUTH_TOKEN", "variable");
            set.put("DFLOCKD_AUTH_TOKEN_FILE", first);
            assertIs(dflockd(set, flags), "variable");
            set.remove("DFLOCKD_AUTH_TOKEN");
            assertIs(dflockd(set, flags), "in-first-file");
            set.clear();
            assertIs(dflockd(set, flags), "flag");
            assertIs(dflockd(set, "--auth-token-file", second), "in-second-file");
            assertThat(dflockd(set)).isNull();
        }

        @Test
        void empty_sources_of_the_secret_are_skipped() {
            Map<String, String> empty =
                    Map.of("DFLOCKD_AUTH_TOKEN", "", "DFLOCKD_AUTH_TOKEN_FILE", "");
            assertIs(
                    dflockd(empty, "--auth-token=", "--auth-token-file", second), "in-second-file");
            assertThat(dflockd(empty, "--auth-token=", "--auth-token-file=")).isNull();
        }
    }

    @Nested
    @DisplayName("serve")
    class OfServe {
        @Test
        void serve_uses_the_first_of_two_options_and_two_variables() {
            Map<String, String> set = new HashMap<>();
            set.put("HOLDFAST_AUTH_TOKEN", "variable");
            set.put("HOLDFAST_AUTH_TOKEN_FILE", first);
            assertIs(serve(set, "--auth-token", "flag", "--auth-token-file", second), "flag");
            assertIs(serve(set, "--auth-token-file", second), "in-second-file");
            assertIs(serve(set), "variable");
            set.remove("HOLDFAST_AUTH_TOKEN");
            assertIs(serve(set), "in-first-file");
            assertThat(serve(Map.of())).isNull();
        }

        @Test
        void serve_ignores_the_variables_of_dflockd() {
            assertThat(serve(Map.of("DFLOCKD_AUTH_TOKEN", "variable"))).isNull();
        }

        @Test
        void an_empty_secret_option_is_rejected() {
            assertThatThrownBy(() -> serve(Map.of(), "--auth-token="))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage("the auth token is empty");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " open sesame ",
                "\topen sesame\n",
                "\u00a0open sesame\r\n",
                "open sesame\n\n"
            })
    void whitespace_around_a_secret_is_removed(String text) throws IOException {
        String file = file("blanks", text);
        assertIs(dflockd(Map.of(), "--auth-token", text), "open sesame");
        assertIs(dflockd(Map.of("DFLOCKD_AUTH_TOKEN", text)), "open sesame");
        assertIs(dflockd(Map.of(), "--auth-token-file", file), "open sesame");
        assertIs(dflockd(Map.of("DFLOCKD_AUTH_TOKEN_FILE", file)), "open sesame");
        assertIs(serve(Map.of(), "--auth-token", text), "open sesame");
        assertIs(serve(Map.of("HOLDFAST_AUTH_TOKEN_FILE", file)), "open sesame");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n", " \r\n\t", "\u3000"})
    void an_empty_secret_file_is_an_error(String content) throws IOException {
        String file = file("empty", content);
        assertThatThrownBy(() -> dflockd(Map.of(), "--auth-token-file", file))
                .isInstanceOf(ConfigException.class)
                .hasMessage("the auth token file " + file + " is empty");
        assertThatThrownBy(() -> serve(Map.of("HOLDFAST_AUTH_TOKEN_FILE", file)))
                .isInstanceOf(ConfigException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "\t", "\u00a0\n"})
    void a_blank_secret_is_an_error(String text) {
        assertThatThrownBy(() -> dflockd(Map.of("DFLOCKD_AUTH_TOKEN", text)))
                .isInstanceOf(ConfigException.class)
                .hasMessage("the auth token is empty");
        assertThatThrownBy(() -> dflockd(Map.of(), "--auth-token", text))
                .isInstanceOf(ConfigException.class)
                .hasMessage("the auth token is empty");
    }

    @ParameterizedTest
    @ValueSource(strings = {"open\nsesame", "open\rsesame", "open\r\nsesame\n"})
    void a_secret_with_a_line_break_is_rejected(String text) throws IOException {
        String file = file("lines", text);
        assertThatThrownBy(() -> dflockd(Map.of(), "--auth-token", text))
                .isInstanceOf(ConfigException.class)
                .hasMessage("the auth token contains a line break");
        assertThatThrownBy(() -> dflockd(Map.of(), "--auth-token-file", file))
                .isInstanceOf(ConfigException.class)
                .hasMessage("the auth token file " + file + " contains a line break");
    }

    @Test
    void a_missing_secret_file_is_an_error() {
        String missing = folder.resolve("missing").toString();
        assertThatThrownBy(() -> dflockd(Map.of(), "--auth-token-file", missing))
                .isInstanceOf(ConfigException.class)
                .hasMessage("cannot read the auth token file " + missing + ": it does not exist");
        assertThatThrownBy(() -> dflockd(Map.of(), "--auth-token-file", folder.toString()))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("cannot read the auth token file " + folder + ": ");
    }

    @Test
    void a_secret_may_be_any_bytes() throws IOException {
        Path file = folder.resolve("bytes");
        byte[] bytes = {'a', (byte) 0xff, 0, (byte) 0xfe, 'z'};
        Files.write(file, bytes);
        Secret secret = dflockd(Map.of(), "--auth-token-file", file.toString());
        assertThat(secret).isNotNull();
        assertThat(secret.matches(bytes)).isTrue();
    }
}
