package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.Secret;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.Namespace;
import io.holdfast.http.HttpAddress;
import io.holdfast.http.HttpConfig;
import io.holdfast.server.TlsFiles;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

@DisplayName("The settings of HTTP")
class HttpSettingsTest {
    private static ServerPlan serve(Map<String, String> environment, String... args) {
        CommandLine line = ServeCommand.create(environment);
        line.parseArgs(args);
        ServeCommand command = line.getCommand();
        return command.plan();
    }

    private static ServerPlan dflockd(Map<String, String> environment, String... args) {
        try {
            return DflockdCommand.plan(
                    GoFlags.parse(List.of(args), DflockdCommand::isSwitch), environment);
        } catch (GoFlags.FlagException e) {
            throw new AssertionError(e);
        }
    }

    private static HttpConfig http(ServerPlan plan) {
        assertThat(plan.servesHttp()).isTrue();
        return plan.http();
    }

    private static HttpAddress listener(String host, int port, boolean tls, String namespace) {
        return new HttpAddress(
                host,
                port,
                tls,
                namespace.isEmpty() ? Namespace.DEFAULT : new Namespace(namespace));
    }

    private static HttpConfig usual(HttpAddress address) {
        return HttpConfig.at(address)
                .secret(null)
                .readToken(null)
                .admin(false)
                .sessionIdle(Duration.ofSeconds(20))
                .ping(Duration.ofSeconds(15))
                .maxSessions(0)
                .maxSessionsPerAddress(0)
                .maxConnectionsPerAddress(0)
                .rate(0)
                .burst(0)
                .corsOrigins(Set.of())
                .allowedHosts(Set.of())
                .build();
    }

    private static void assertRefused(Runnable start, String message) {
        assertThatThrownBy(start::run).isInstanceOf(ConfigException.class).hasMessage(message);
    }

    private static void assertIs(@Nullable Secret secret, String text) {
        assertThat(secret).isNotNull();
        assertThat(secret.matches(text.getBytes(StandardCharsets.UTF_8))).isTrue();
    }

    @Nested
    @DisplayName("serve")
    class OfServe {
        @Test
        void http_listens_on_the_loopback_address_by_default() {
            assertThat(http(serve(Map.of())))
                    .isEqualTo(usual(listener("127.0.0.1", 6389, false, "")));
        }

        @ParameterizedTest
        @ValueSource(strings = {"--no-http", "--http=false"})
        void http_can_be_switched_off(String arg) {
            ServerPlan plan = serve(Map.of(), arg);
            assertThat(plan.servesHttp()).isFalse();
            assertThat(plan.server().listeners()).hasSize(2);
            assertThat(serve(Map.of("HOLDFAST_SERVE_HTTP", "no")).servesHttp()).isFalse();
        }

        @Test
        void switched_off_http_ignores_http_addresses() {
            ServerPlan plan =
                    serve(
                            Map.of(),
                            "--no-http",
                            "--listen=http://127.0.0.1:1",
                            "--listen=dflockd://127.0.0.1:2");
            assertThat(plan.servesHttp()).isFalse();
            assertThat(plan.server().listeners()).hasSize(1);
            assertRefused(
                    () -> serve(Map.of(), "--no-http", "--listen=http://127.0.0.1:1"),
                    "at least one listen address is required");
        }

        @Test
        void there_is_no_http_without_an_http_address() {
            assertThat(serve(Map.of(), "--listen=dflockd://127.0.0.1:1").servesHttp()).isFalse();
        }

        @Test
        void http_addresses_can_have_tls() {
            ServerPlan plan =
                    serve(
                            Map.of(),
                            "--tls-cert=c",
                            "--tls-key=k",
                            "--listen=http://[::1]:7001/?namespace=tenant%20a",
                            "--listen=https://0.0.0.0");
            assertThat(http(plan).addresses())
                    .containsExactly(
                            listener("::1", 7001, false, "tenant a"),
                            listener("0.0.0.0", 6389, true, ""));
            assertThat(plan.server().tls()).isEqualTo(new TlsFiles(Path.of("c"), Path.of("k")));
        }

        @Test
        void http_addresses_alone_are_enough() {
            assertThat(serve(Map.of(), "--listen=http://127.0.0.1:1").server().listeners())
                    .isEmpty();
        }

        @Test
        void https_requires_a_certificate() {
            assertRefused(
                    () -> serve(Map.of(), "--listen=https://127.0.0.1:7001"),
                    "listening with TLS on 127.0.0.1:7001 needs a certificate and a key");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "http://",
                    "http://127.0.0.1:70000",
                    "http://127.0.0.1:1/path",
                    "http://me@127.0.0.1:1",
                    "http://127.0.0.1:1?allow-dump=true",
                    "http://127.0.0.1:1?namespace=a&namespace=b",
                    "HTTP://127.0.0.1:1"
                })
        void invalid_http_addresses_are_rejected(String url) {
            assertThatThrownBy(() -> serve(Map.of(), "--listen=" + url))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("--listen " + url + " ");
        }

        @Test
        void http_settings_come_from_options_or_variables() {
            HttpConfig expected =
                    HttpConfig.at(listener("127.0.0.1", 6389, false, ""))
                            .admin(true)
                            .sessionIdle(Duration.ofSeconds(9))
                            .ping(Duration.ofSeconds(8))
                            .maxSessions(1)
                            .maxSessionsPerAddress(2)
                            .maxConnectionsPerAddress(3)
                            .rate(4)
                            .burst(5)
                            .corsOrigins(Set.of("https://a.example", "https://b.example"))
                            .allowedHosts(Set.of("locks.example"))
                            .build();
            assertThat(
                            http(
                                    serve(
                                            Map.of(),
                                            "--http-admin",
                                            "--http-session-idle-timeout=9",
                                            "--http-sse-ping-interval=8",
                                            "--http-max-sessions=1",
                                            "--http-max-sessions-per-ip=2",
                                            "--http-max-connections-per-ip=3",
                                            "--http-rate-limit-per-ip=4",
                                            "--http-rate-limit-burst=5",
                                            "--http-cors-allowed-origins=https://a.example,"
                                                    + " https://b.example",
                                            "--http-allowed-hosts=locks.example")))
                    .isEqualTo(expected);
            assertThat(
                            http(
                                    serve(
                                            Map.of(
                                                    "HOLDFAST_HTTP_ADMIN", "true",
                                                    "HOLDFAST_HTTP_SESSION_IDLE_TIMEOUT", "9",
                                                    "HOLDFAST_HTTP_SSE_PING_INTERVAL", "8",
                                                    "HOLDFAST_HTTP_MAX_SESSIONS", "1",
                                                    "HOLDFAST_HTTP_MAX_SESSIONS_PER_IP", "2",
                                                    "HOLDFAST_HTTP_MAX_CONNECTIONS_PER_IP", "3",
                                                    "HOLDFAST_HTTP_RATE_LIMIT_PER_IP", "4",
                                                    "HOLDFAST_HTTP_RATE_LIMIT_BURST", "5",
                                                    "HOLDFAST_HTTP_CORS_ALLOWED_ORIGINS",
                                                            "https://a.example,https://b.example",
                                                    "HOLDFAST_HTTP_ALLOWED_HOSTS",
                                                            "locks.example"))))
                    .isEqualTo(expected);
        }
    }

    @Nested
    @DisplayName("dflockd")
    class OfDflockd {
        @Test
        void dflockd_has_no_http_without_a_port() {
            assertThat(dflockd(Map.of()).servesHttp()).isFalse();
            assertThat(dflockd(Map.of(), "--http-host=127.0.0.1", "--http-port=0").servesHttp())
                    .isFalse();
        }

        @Test
        void http_uses_the_host_of_dflockd_unless_set() {
            assertThat(http(dflockd(Map.of(), "--http-port=7001", "--host=::1")))
                    .isEqualTo(usual(listener("::1", 7001, false, "")));
            Map<String, String> environment =
                    Map.of("DFLOCKD_HTTP_PORT", "7002", "DFLOCKD_HTTP_HOST", "127.0.0.2");
            assertThat(http(dflockd(environment, "--http-port=7001", "--http-host=::1")))
                    .isEqualTo(usual(listener("127.0.0.2", 7002, false, "")));
        }

        @Test
        void http_uses_the_certificate_of_dflockd() {
            ServerPlan plan = dflockd(Map.of(), "--http-port=7001", "--tls-cert=c", "--tls-key=k");
            assertThat(http(plan).addresses())
                    .containsExactly(listener("127.0.0.1", 7001, true, ""));
            assertThat(plan.server().tls()).isEqualTo(new TlsFiles(Path.of("c"), Path.of("k")));
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "--http-port=99999 | --http-port must be 0-65535 (got 99999)",
                    "--http-port=6388 | --http-port must not be that of --port (got 6388)",
                    "--http-max-sessions=-1 | --http-max-sessions must be >= 0 (got -1)",
                    "--http-session-idle-timeout=-1 | --http-session-idle-timeout must be >= 0"
                            + " (got -1s)",
                    "--http-sse-ping-interval=0 | --http-sse-ping-interval must be > 0"
                })
        void http_settings_of_dflockd_are_checked(String arg, String message) {
            assertRefused(() -> dflockd(Map.of(), arg), message);
        }
    }

    @Nested
    @DisplayName("Keep-alive of event streams")
    class Pings {
        private static final String REFUSAL =
                "--http-sse-ping-interval must be less than --http-session-idle-timeout (got %s)";

        @Test
        void the_ping_interval_must_be_less_than_the_idle_timeout() {
            assertRefused(
                    () -> serve(Map.of(), "--http-session-idle-timeout=15"),
                    REFUSAL.formatted("15s and 15s"));
            assertRefused(
                    () -> dflockd(Map.of(), "--http-port=1", "--http-sse-ping-interval=30"),
                    REFUSAL.formatted("30s and 20s"));
        }

        @Test
        void any_ping_interval_is_accepted_without_idle_timeout_or_http() {
            assertThat(http(serve(Map.of(), "--http-session-idle-timeout=0")).sessionIdle())
                    .isZero();
            assertThat(dflockd(Map.of(), "--http-sse-ping-interval=30").servesHttp()).isFalse();
        }
    }

    @Nested
    @DisplayName("The read token")
    class ReadToken {
        @TempDir private Path folder;

        @Test
        void the_read_token_comes_from_the_same_sources_as_the_auth_token() throws IOException {
            String file = Files.writeString(folder.resolve("t"), " from-file\n").toString();
            for (String arg :
                    List.of("--http-read-token= from-file ", "--http-read-token-file=" + file)) {
                HttpConfig serve = http(serve(Map.of(), "--auth-token=all", arg));
                assertIs(serve.readToken(), "from-file");
                assertIs(serve.secret(), "all");
                assertIs(
                        http(dflockd(Map.of(), "--http-port=1", "--auth-token=all", arg))
                                .readToken(),
                        "from-file");
            }
            assertIs(
                    http(serve(Map.of("HOLDFAST_HTTP_READ_TOKEN", "variable"), "--auth-token=all"))
                            .readToken(),
                    "variable");
            Map<String, String> variable = Map.of("DFLOCKD_HTTP_READ_TOKEN_FILE", file);
            assertIs(
                    http(dflockd(variable, "--http-port=1", "--auth-token=all")).readToken(),
                    "from-file");
        }

        @Test
        void the_read_token_is_never_shown() {
            assertThat(
                            serve(Map.of(), "--auth-token=sesame", "--http-read-token=simsim")
                                    .toString())
                    .contains("***")
                    .doesNotContain("sesame")
                    .doesNotContain("simsim");
        }

        @Test
        void the_read_token_requires_an_auth_token() {
            assertRefused(
                    () -> serve(Map.of(), "--http-read-token=look"),
                    "--http-read-token requires --auth-token: without it every client has full"
                            + " access");
        }

        @Test
        void a_read_token_equal_to_the_auth_token_is_rejected() {
            assertRefused(
                    () -> serve(Map.of(), "--auth-token=same", "--http-read-token=same"),
                    "--http-read-token is the same as --auth-token, so it would give full access:"
                            + " choose another");
        }

        @Test
        void an_invalid_read_token_is_rejected() {
            assertRefused(
                    () -> serve(Map.of(), "--auth-token=all", "--http-read-token= "),
                    "the HTTP read token is empty");
            assertRefused(
                    () -> serve(Map.of(), "--auth-token=all", "--http-read-token-file=/no/such"),
                    "cannot read the HTTP read token file /no/such: it does not exist");
        }
    }
}
