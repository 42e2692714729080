package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.ClientLimits;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.server.IoTransport;
import io.holdfast.server.Limits;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.Timeouts;
import io.holdfast.server.TlsFiles;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenAddress;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

@DisplayName("holdfast dflockd")
class DflockdCommandTest {
    private static ServerConfig config(Map<String, String> environment, String... args) {
        try {
            return DflockdCommand.plan(
                            GoFlags.parse(List.of(args), DflockdCommand::isSwitch), environment)
                    .server();
        } catch (GoFlags.FlagException e) {
            throw new AssertionError(e);
        }
    }

    private static ServerConfig config(String... args) {
        return config(Map.of(), args);
    }

    /** The result of a run that does not serve. */
    private record Ended(int status, String out, List<String> err) {
        static Ended of(Map<String, String> environment, String... args) {
            try (StandardStreams streams = new StandardStreams()) {
                int status = DflockdCommand.run(List.of(args), environment, "holdfast 1.2.3");
                return new Ended(status, streams.out(), streams.errLines());
            }
        }

        static Ended of(String... args) {
            return of(Map.of(), args);
        }
    }

    @Test
    void dflockd_has_the_defaults_of_the_original() {
        ServerConfig config = config();
        assertThat(config)
                .isEqualTo(
                        ServerConfig.builder()
                                .listeners(DflockdProtocol.endpoint("127.0.0.1", 6388, false))
                                .limits(
                                        Limits.builder()
                                                .maxLocks(1024)
                                                .maxEntries(0)
                                                .maxWaiters(0)
                                                .maxListLength(0)
                                                .maxSubscriptions(0)
                                                .maxPushBytes(1_048_576)
                                                .perClient(ClientLimits.NONE)
                                                .maxConnections(0)
                                                .maxConnectionsPerAddress(0)
                                                .build())
                                .timeouts(
                                        Timeouts.builder()
                                                .defaultLease(seconds(33))
                                                .collectEvery(seconds(5))
                                                .idle(seconds(60))
                                                .read(seconds(23))
                                                .write(seconds(5))
                                                .shutdown(seconds(30))
                                                .maxSessionGrace(seconds(60))
                                                .build())
                                .autoRelease(true)
                                .keepsValues(false)
                                .secret(null)
                                .tls(null)
                                .fenceFile(null)
                                .transport(IoTransport.AUTO)
                                .eventLoops(0)
                                .build());
        assertThat(Setting.LEASE_SWEEP_INTERVAL.dflockdDefault).isEqualTo("1");
        assertThat(Setting.DEBUG.dflockdDefault).isEqualTo("false");
    }

    /** Each flag with a value, and what the value changes. */
    static Stream<Example> examples() {
        return Stream.of(
                new Example("port", "7000", c -> tcp(c).port(), 7000),
                new Example("host", "::1", c -> tcp(c).host(), "::1"),
                new Example("default-lease-ttl", "7", c -> c.timeouts().defaultLease(), seconds(7)),
                new Example("gc-interval", "7", c -> c.timeouts().collectEvery(), seconds(7)),
                new Example("gc-max-idle", "7", c -> c.timeouts().idle(), seconds(7)),
                new Example("max-locks", "7", c -> c.limits().maxLocks(), 7L),
                new Example("max-connections", "7", c -> c.limits().maxConnections(), 7),
                new Example(
                        "max-connections-per-ip",
                        "7",
                        c -> c.limits().maxConnectionsPerAddress(),
                        7),
                new Example("max-waiters", "7", c -> c.limits().maxWaiters(), 7),
                new Example("max-keys", "7", c -> c.limits().maxEntries(), 7L),
                new Example("max-list-length", "7", c -> c.limits().maxListLength(), 7),
                new Example("max-subscriptions", "7", c -> c.limits().maxSubscriptions(), 7),
                new Example("max-push-bytes", "7", c -> c.limits().maxPushBytes(), 7L),
                new Example("read-timeout", "7", c -> c.timeouts().read(), seconds(7)),
                new Example("write-timeout", "7", c -> c.timeouts().write(), seconds(7)),
                new Example("shutdown-timeout", "7", c -> c.timeouts().shutdown(), seconds(7)),
                new Example("auto-release-on-disconnect", "false", c -> c.autoRelease(), false),
                new Example("fence-state-file", "f", ServerConfig::fenceFile, Path.of("f")));
    }

    private static ListenAddress.Tcp tcp(ServerConfig config) {
        return (ListenAddress.Tcp) config.listeners().getFirst().address();
    }

    private static Duration seconds(long value) {
        return Duration.ofSeconds(value);
    }

    record Example(
            String flag, String value, Function<ServerConfig, Object> reader, Object expected) {
        String variable() {
            return Arrays.stream(Setting.values())
                    .filter(s -> s.flag.equals(flag))
                    .findFirst()
                    .orElseThrow()
                    .dflockdVariables
                    .getLast();
        }

        @Override
        public String toString() {
            return flag;
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void each_setting_is_read_from_its_flag(Example example) {
        ServerConfig changed = config("--" + example.flag() + "=" + example.value());
        assertThat(example.reader().apply(changed)).isEqualTo(example.expected());
        assertThat(example.reader().apply(config())).isNotEqualTo(example.expected());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void each_setting_is_read_from_its_variable(Example example) {
        ServerConfig changed = config(Map.of(example.variable(), example.value()));
        assertThat(example.reader().apply(changed)).isEqualTo(example.expected());
    }

    @Test
    void dflockd_has_the_flags_and_variables_of_the_original() {
        assertThat(Arrays.stream(Setting.values()).filter(s -> !s.dflockdVariables.isEmpty()))
                .allSatisfy(s -> assertThat(s.dflockdDefault).isNotNull())
                .extracting(s -> "--" + s.flag + " " + String.join(" ", s.dflockdVariables))
                .containsExactlyInAnyOrder(
                        "--host DFLOCKD_HOST",
                        "--port DFLOCKD_PORT",
                        "--default-lease-ttl DFLOCKD_DEFAULT_LEASE_TTL_S",
                        "--lease-sweep-interval DFLOCKD_LEASE_SWEEP_INTERVAL_S",
                        "--gc-interval DFLOCKD_GC_INTERVAL_S DFLOCKD_GC_LOOP_SLEEP",
                        "--gc-max-idle DFLOCKD_GC_MAX_IDLE_S DFLOCKD_GC_MAX_UNUSED_TIME",
                        "--max-locks DFLOCKD_MAX_LOCKS",
                        "--max-connections DFLOCKD_MAX_CONNECTIONS",
                        "--max-connections-per-ip DFLOCKD_MAX_CONNECTIONS_PER_IP",
                        "--max-waiters DFLOCKD_MAX_WAITERS",
                        "--max-keys DFLOCKD_MAX_KEYS",
                        "--max-list-length DFLOCKD_MAX_LIST_LENGTH",
                        "--max-subscriptions DFLOCKD_MAX_SUBSCRIPTIONS",
                        "--max-push-bytes DFLOCKD_MAX_PUSH_BYTES",
                        "--read-timeout DFLOCKD_READ_TIMEOUT_S",
                        "--write-timeout DFLOCKD_WRITE_TIMEOUT_S",
                        "--shutdown-timeout DFLOCKD_SHUTDOWN_TIMEOUT_S",
                        "--tls-cert DFLOCKD_TLS_CERT",
                        "--tls-key DFLOCKD_TLS_KEY",
                        "--auth-token DFLOCKD_AUTH_TOKEN",
                        "--auth-token-file DFLOCKD_AUTH_TOKEN_FILE",
                        "--auto-release-on-disconnect DFLOCKD_AUTO_RELEASE_ON_DISCONNECT",
                        "--fence-state-file DFLOCKD_FENCE_STATE_FILE",
                        "--http-port DFLOCKD_HTTP_PORT",
                        "--http-host DFLOCKD_HTTP_HOST",
                        "--http-session-idle-timeout DFLOCKD_HTTP_SESSION_IDLE_S",
                        "--http-max-sessions DFLOCKD_HTTP_MAX_SESSIONS",
                        "--http-max-sessions-per-ip DFLOCKD_HTTP_MAX_SESSIONS_PER_IP",
                        "--http-max-connections-per-ip DFLOCKD_HTTP_MAX_CONNECTIONS_PER_IP",
                        "--http-rate-limit-per-ip DFLOCKD_HTTP_RATE_LIMIT_PER_IP",
                        "--http-rate-limit-burst DFLOCKD_HTTP_RATE_LIMIT_BURST",
                        "--http-sse-ping-interval DFLOCKD_HTTP_SSE_PING_S",
                        "--http-cors-allowed-origins DFLOCKD_HTTP_CORS_ALLOWED_ORIGINS",
                        "--http-allowed-hosts DFLOCKD_HTTP_ALLOWED_HOSTS",
                        "--http-admin DFLOCKD_HTTP_ADMIN",
                        "--http-read-token DFLOCKD_HTTP_READ_TOKEN",
                        "--http-read-token-file DFLOCKD_HTTP_READ_TOKEN_FILE",
                        "--debug DFLOCKD_DEBUG");
    }

    @Nested
    @DisplayName("Variables and flags")
    class Precedence {
        @Test
        void a_variable_overrides_the_flag() {
            assertThat(config(Map.of("DFLOCKD_PORT", "1"), "--port", "2").listeners())
                    .containsExactly(DflockdProtocol.endpoint("127.0.0.1", 1, false));
            assertThat(config(Map.of("DFLOCKD_HOST", "::1"), "--host", "x").listeners())
                    .containsExactly(DflockdProtocol.endpoint("::1", 6388, false));
        }

        @Test
        void an_empty_variable_does_not_override_the_flag() {
            assertThat(config(Map.of("DFLOCKD_PORT", ""), "--port", "2").listeners())
                    .containsExactly(DflockdProtocol.endpoint("127.0.0.1", 2, false));
        }

        @Test
        void a_variable_overrides_the_flag_that_turns_auto_release_off() {
            Map<String, String> on = Map.of("DFLOCKD_AUTO_RELEASE_ON_DISCONNECT", "yes");
            assertThat(config(on, "--no-auto-release-on-disconnect").autoRelease()).isTrue();
        }

        @Test
        void the_newer_variable_overrides_the_older_one() {
            Map<String, String> both =
                    Map.of("DFLOCKD_GC_INTERVAL_S", "1", "DFLOCKD_GC_LOOP_SLEEP", "2");
            assertThat(config(both, "--gc-interval", "3").timeouts().collectEvery())
                    .isEqualTo(seconds(1));
            Map<String, String> idle =
                    Map.of("DFLOCKD_GC_MAX_IDLE_S", "1", "DFLOCKD_GC_MAX_UNUSED_TIME", "2");
            assertThat(config(idle, "--gc-max-idle", "3").timeouts().idle()).isEqualTo(seconds(1));
        }

        @Test
        void the_older_variable_is_used_if_the_newer_one_is_not_set() {
            Map<String, String> old = Map.of("DFLOCKD_GC_LOOP_SLEEP", "2");
            assertThat(config(old, "--gc-interval", "3").timeouts().collectEvery())
                    .isEqualTo(seconds(2));
            Map<String, String> empty =
                    Map.of("DFLOCKD_GC_MAX_IDLE_S", "", "DFLOCKD_GC_MAX_UNUSED_TIME", "2");
            assertThat(config(empty).timeouts().idle()).isEqualTo(seconds(2));
        }

        @Test
        void holdfast_variables_are_ignored_by_dflockd() {
            assertThat(config(Map.of("HOLDFAST_MAX_LOCKS", "7")).limits().maxLocks())
                    .isEqualTo(1024);
        }

        @ParameterizedTest
        @CsvSource({
            "DFLOCKD_PORT,a-b-c",
            "DFLOCKD_MAX_LOCKS,1.5-or-2",
            "DFLOCKD_READ_TIMEOUT_S,5-s"
        })
        void a_variable_that_is_not_a_number_is_ignored_with_a_warning_without_its_value(
                String name, String value) {
            try (StandardStreams streams = new StandardStreams()) {
                var config =
                        config(
                                Map.of(name, value),
                                "--port",
                                "2",
                                "--max-locks",
                                "3",
                                "--read-timeout",
                                "4");
                assertThat(tcp(config).port()).isEqualTo(2);
                assertThat(config.limits().maxLocks()).isEqualTo(3);
                assertThat(config.timeouts().read()).isEqualTo(seconds(4));
                assertThat(streams.errLines())
                        .singleElement()
                        .asString()
                        .matches("time=\\S+ level=WARN msg=.*")
                        .contains(name)
                        .doesNotContain(value);
            }
        }

        @Test
        void the_older_variable_is_used_if_the_newer_one_is_not_a_number() {
            Map<String, String> both =
                    Map.of("DFLOCKD_GC_INTERVAL_S", "often", "DFLOCKD_GC_LOOP_SLEEP", "2");
            try (StandardStreams streams = new StandardStreams()) {
                assertThat(config(both).timeouts().collectEvery()).isEqualTo(seconds(2));
                assertThat(streams.errLines()).hasSize(1);
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"t", "on", "maybe", "2"})
        void a_variable_that_is_not_a_boolean_is_ignored(String value) {
            try (StandardStreams streams = new StandardStreams()) {
                Map<String, String> set = Map.of("DFLOCKD_AUTO_RELEASE_ON_DISCONNECT", value);
                assertThat(config(set).autoRelease()).isTrue();
                assertThat(config(set, "--auto-release-on-disconnect=false").autoRelease())
                        .isFalse();
                assertThat(streams.err()).contains("DFLOCKD_AUTO_RELEASE_ON_DISCONNECT");
            }
        }

        @Test
        void a_variable_out_of_range_ends_the_start() {
            assertThatThrownBy(() -> config(Map.of("DFLOCKD_MAX_LOCKS", "0"), "--max-locks", "5"))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage("--max-locks must be > 0 (got 0)");
        }
    }

    @Nested
    @DisplayName("Auto-release")
    class AutoRelease {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "--no-auto-release-on-disconnect",
                    "-no-auto-release-on-disconnect",
                    "--no-auto-release-on-disconnect=true",
                    "--auto-release-on-disconnect=false",
                    "--auto-release-on-disconnect=f"
                })
        void these_flags_turn_auto_release_off(String flag) {
            assertThat(config(flag).autoRelease()).isFalse();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "--no-auto-release-on-disconnect=false",
                    "--auto-release-on-disconnect",
                    "--auto-release-on-disconnect=1"
                })
        void these_flags_turn_auto_release_on(String flag) {
            assertThat(config(flag).autoRelease()).isTrue();
        }
    }

    @Nested
    @DisplayName("Durations")
    class Spans {
        @ParameterizedTest
        @EnumSource(names = ".*(TTL|INTERVAL|IDLE|TIMEOUT|GRACE)", mode = EnumSource.Mode.MATCH_ALL)
        void a_duration_is_limited_to_64_bits_of_nanoseconds(Setting setting) {
            assertThat(setting.type).isEqualTo(SettingType.SECONDS);
            if (setting.dflockdDefault == null) {
                return;
            }
            assertThat(config("--" + setting.flag, "9223372036")).isNotNull();
            for (String more : List.of("9223372037", "18446744074", "9223372036854775807")) {
                assertThatThrownBy(() -> config("--" + setting.flag, more))
                        .isInstanceOf(ConfigException.class)
                        .hasMessage(
                                "--%s must be <= 9223372036 (got %ss)"
                                        .formatted(setting.flag, more));
            }
        }

        @Test
        void the_pattern_of_duration_settings_is_complete() {
            assertThat(Arrays.stream(Setting.values()))
                    .filteredOn(s -> s.type == SettingType.SECONDS && s.dflockdDefault != null)
                    .allSatisfy(
                            s ->
                                    assertThat(s.name())
                                            .matches(".*(TTL|INTERVAL|IDLE|TIMEOUT|GRACE)"))
                    .hasSize(10);
        }

        @Test
        void a_duration_of_zero_is_accepted_where_it_has_a_meaning() {
            assertThat(config("--gc-max-idle", "0").timeouts().idle()).isZero();
            assertThat(config("--write-timeout", "0").timeouts().write()).isZero();
            assertThat(config("--shutdown-timeout", "0").timeouts().shutdown()).isZero();
        }
    }

    @Nested
    @DisplayName("Errors")
    class Errors {
        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "--max-locks 0          | --max-locks must be > 0 (got 0)",
                    "--max-locks -1         | --max-locks must be > 0 (got -1)",
                    "--port 99999           | --port must be 0-65535 (got 99999)",
                    "--port -1              | --port must be 0-65535 (got -1)",
                    "--port 4294967296      | --port must be 0-65535 (got 4294967296)",
                    "--read-timeout 0       | --read-timeout must be > 0",
                    "--read-timeout -1      | --read-timeout must be > 0",
                    "--default-lease-ttl 0  | --default-lease-ttl must be > 0",
                    "--lease-sweep-interval 0 | --lease-sweep-interval must be > 0",
                    "--gc-interval 0        | --gc-interval must be > 0",
                    "--gc-max-idle -1       | --gc-max-idle must be >= 0 (got -1s)",
                    "--write-timeout -1     | --write-timeout must be >= 0 (got -1s)",
                    "--shutdown-timeout -1  | --shutdown-timeout must be >= 0 (got -1s)",
                    "--max-connections -1   | --max-connections must be >= 0 (got -1)",
                    "--max-connections-per-ip -1 | --max-connections-per-ip must be >= 0 (got -1)",
                    "--max-waiters -1       | --max-waiters must be >= 0 (got -1)",
                    "--tls-cert c           | --tls-cert and --tls-key must be given together",
                    "--tls-key k            | --tls-cert and --tls-key must be given together"
                })
        void a_value_out_of_range_ends_the_start_with_one_line(String args, String text) {
            Ended ended = Ended.of(args.split(" "));
            assertThat(ended.status()).isEqualTo(1);
            assertThat(ended.err()).containsExactly("configuration error: " + text);
            assertThat(ended.out()).isEmpty();
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "--nope              | flag provided but not defined: -nope",
                    "--listen x          | flag provided but not defined: -listen",
                    "--port abc          | invalid value \"abc\" for flag -port: parse error",
                    "--port=             | invalid value \"\" for flag -port: parse error",
                    "--read-timeout 1.5  | invalid value \"1.5\" for flag -read-timeout: parse"
                            + " error",
                    "--debug=maybe       | invalid boolean value \"maybe\" for -debug: parse error",
                    "--debug=yes         | invalid boolean value \"yes\" for -debug: parse error",
                    "--version=x         | invalid boolean value \"x\" for -version: parse error",
                    "--port              | flag needs an argument: -port",
                    "---port 1           | bad flag syntax: ---port"
                })
        void an_unreadable_flag_prints_the_usage_and_then_the_error(String args, String text) {
            Ended ended = Ended.of(args.split(" "));
            assertThat(ended.status()).isEqualTo(1);
            assertThat(ended.err().getLast()).isEqualTo("configuration error: " + text);
            assertThat(ended.err().getFirst()).startsWith("Usage: holdfast dflockd");
            assertThat(ended.out()).isEmpty();
        }

        @Test
        void a_variable_out_of_range_prints_the_name_of_its_flag() {
            Ended ended = Ended.of(Map.of("DFLOCKD_PORT", "65536"));
            assertThat(ended.status()).isEqualTo(1);
            assertThat(ended.err())
                    .containsExactly("configuration error: --port must be 0-65535 (got 65536)");
        }

        @Test
        void a_key_without_a_certificate_ends_the_start() {
            Ended ended = Ended.of(Map.of("DFLOCKD_TLS_KEY", "k"));
            assertThat(ended.err())
                    .containsExactly(
                            "configuration error: --tls-cert and --tls-key must be given together");
        }
    }

    @Test
    void certificate_and_key_turn_tls_on() {
        var config = config(Map.of("DFLOCKD_TLS_KEY", "k"), "--tls-cert", "c");
        assertThat(config.tls()).isEqualTo(new TlsFiles(Path.of("c"), Path.of("k")));
        assertThat(config.listeners())
                .containsExactly(DflockdProtocol.endpoint("127.0.0.1", 6388, true));
    }

    @Test
    void numbers_may_have_other_bases() {
        assertThat(config("--port", "0x10", "--max-locks=0b11", "-max-waiters", "0o17"))
                .satisfies(
                        c -> assertThat(tcp(c).port()).isEqualTo(16),
                        c -> assertThat(c.limits().maxLocks()).isEqualTo(3),
                        c -> assertThat(c.limits().maxWaiters()).isEqualTo(15));
    }

    @Test
    void arguments_after_the_flags_are_ignored() {
        assertThat(tcp(config("--port", "7", "word", "--port", "8")).port()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-help", "-h", "--h", "--help=true"})
    void help_prints_the_usage(String flag) {
        Ended ended = Ended.of("--port", "7", flag);
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).startsWith("Usage: holdfast dflockd");
        List<String> flags = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            if (setting.dflockdDefault != null) {
                flags.add("  --" + setting.flag);
                assertThat(ended.out()).contains(setting.help);
                setting.dflockdVariables.forEach(v -> assertThat(ended.out()).contains(v));
            }
        }
        assertThat(flags)
                .hasSizeGreaterThan(20)
                .allSatisfy(f -> assertThat(ended.out()).contains(f));
        assertThat(ended.out())
                .contains("  --no-auto-release-on-disconnect\n", "  --version\n", "  --help\n")
                .contains("(default 1024)");
        assertThat(ended.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(101));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-version", "--version=true"})
    void version_prints_the_version(String flag) {
        Ended ended = Ended.of(flag);
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEqualTo("holdfast 1.2.3" + System.lineSeparator());
    }

    @Test
    void the_configuration_as_text_hides_the_secret() {
        assertThat(config("--auth-token", "open-sesame").toString())
                .contains("secret=***")
                .doesNotContain("sesame");
    }
}
