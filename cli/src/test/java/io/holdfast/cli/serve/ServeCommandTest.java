package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.ClientLimits;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.Namespace;
import io.holdfast.server.IoTransport;
import io.holdfast.server.Limits;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.Timeouts;
import io.holdfast.server.TlsFiles;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.lockd.LockdOptions;
import io.holdfast.server.lockd.LockdProtocol;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

@DisplayName("holdfast serve")
class ServeCommandTest {
    private static final ListenEndpoint LOCKD =
            new ListenEndpoint(
                    LockdProtocol.TCP,
                    new ListenAddress.Tcp("127.0.0.1", 9999),
                    new LockdOptions(Namespace.DEFAULT, false, false));

    private static ServerConfig config(Map<String, String> environment, String... args) {
        CommandLine line = ServeCommand.create(environment);
        line.parseArgs(args);
        ServeCommand command = line.getCommand();
        return command.plan().server();
    }

    private static ServerConfig config(String... args) {
        return config(Map.of(), args);
    }

    private static Duration seconds(long value) {
        return Duration.ofSeconds(value);
    }

    @Test
    void serve_has_its_own_defaults() {
        assertThat(config())
                .isEqualTo(
                        ServerConfig.builder()
                                .listeners(
                                        DflockdProtocol.endpoint("127.0.0.1", 6388, false), LOCKD)
                                .limits(
                                        Limits.builder()
                                                .maxLocks(1_000_000)
                                                .maxLockdLocks(1_000_000)
                                                .maxEntries(0)
                                                .maxWaiters(0)
                                                .maxListLength(0)
                                                .maxSubscriptions(0)
                                                .maxPushBytes(1_048_576)
                                                .perClient(
                                                        new ClientLimits(100_000, 100_000, 100_000))
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
                                .webSocketOrigins(Set.of())
                                .events(null)
                                .secret(null)
                                .tls(null)
                                .fenceFile(null)
                                .transport(IoTransport.AUTO)
                                .eventLoops(0)
                                .build());
    }

    @Test
    void every_setting_can_be_an_option() {
        assertThat(
                        config(
                                "--listen",
                                "dflockds://[::1]:7000",
                                "--default-lease-ttl=1",
                                "--lease-sweep-interval=2",
                                "--gc-interval=3",
                                "--gc-max-idle=4",
                                "--max-locks=5",
                                "--max-connections=6",
                                "--max-connections-per-ip=7",
                                "--max-waiters=8",
                                "--max-keys=13",
                                "--max-list-length=14",
                                "--max-subscriptions=15",
                                "--max-push-bytes=16",
                                "--lockd-max-locks=17",
                                "--ws-allow-origin=one.example",
                                "--ws-allow-origin=two.example",
                                "--read-timeout=9",
                                "--write-timeout=10",
                                "--shutdown-timeout=11",
                                "--tls-cert=c",
                                "--tls-key=k",
                                "--no-auto-release-on-disconnect",
                                "--fence-state-file=f",
                                "--transport=nio",
                                "--max-session-grace=18",
                                "--max-names-per-connection=27",
                                "--max-waiters-per-connection=28",
                                "--max-keys-per-connection=29",
                                "--event-loops=12"))
                .isEqualTo(
                        ServerConfig.builder()
                                .listeners(DflockdProtocol.endpoint("::1", 7000, true))
                                .limits(
                                        Limits.builder()
                                                .maxLocks(5)
                                                .maxLockdLocks(17)
                                                .maxEntries(13)
                                                .maxWaiters(8)
                                                .maxListLength(14)
                                                .maxSubscriptions(15)
                                                .maxPushBytes(16)
                                                .perClient(new ClientLimits(27, 28, 29))
                                                .maxConnections(6)
                                                .maxConnectionsPerAddress(7)
                                                .build())
                                .timeouts(
                                        Timeouts.builder()
                                                .defaultLease(seconds(1))
                                                .collectEvery(seconds(3))
                                                .idle(seconds(4))
                                                .read(seconds(9))
                                                .write(seconds(10))
                                                .shutdown(seconds(11))
                                                .maxSessionGrace(seconds(18))
                                                .build())
                                .autoRelease(false)
                                .webSocketOrigins(Set.of("one.example", "two.example"))
                                .tls(new TlsFiles(Path.of("c"), Path.of("k")))
                                .fenceFile(Path.of("f"))
                                .transport(IoTransport.NIO)
                                .eventLoops(12)
                                .build());
    }

    @Test
    void every_setting_can_be_a_variable() {
        Map<String, String> environment =
                Map.ofEntries(
                        Map.entry("HOLDFAST_LISTEN", "dflockds://[::1]:7000"),
                        Map.entry("HOLDFAST_DEFAULT_LEASE_TTL", "1"),
                        Map.entry("HOLDFAST_LEASE_SWEEP_INTERVAL", "2"),
                        Map.entry("HOLDFAST_GC_INTERVAL", "3"),
                        Map.entry("HOLDFAST_GC_MAX_IDLE", "4"),
                        Map.entry("HOLDFAST_MAX_LOCKS", "5"),
                        Map.entry("HOLDFAST_MAX_CONNECTIONS", "6"),
                        Map.entry("HOLDFAST_MAX_CONNECTIONS_PER_IP", "7"),
                        Map.entry("HOLDFAST_MAX_WAITERS", "8"),
                        Map.entry("HOLDFAST_MAX_KEYS", "13"),
                        Map.entry("HOLDFAST_MAX_LIST_LENGTH", "14"),
                        Map.entry("HOLDFAST_MAX_SUBSCRIPTIONS", "15"),
                        Map.entry("HOLDFAST_MAX_PUSH_BYTES", "16"),
                        Map.entry("HOLDFAST_LOCKD_MAX_LOCKS", "17"),
                        Map.entry("HOLDFAST_WS_ALLOW_ORIGIN", "one.example,two.example"),
                        Map.entry("HOLDFAST_READ_TIMEOUT", "9"),
                        Map.entry("HOLDFAST_WRITE_TIMEOUT", "10"),
                        Map.entry("HOLDFAST_SHUTDOWN_TIMEOUT", "11"),
                        Map.entry("HOLDFAST_MAX_SESSION_GRACE", "18"),
                        Map.entry("HOLDFAST_MAX_NAMES_PER_CONNECTION", "27"),
                        Map.entry("HOLDFAST_MAX_WAITERS_PER_CONNECTION", "28"),
                        Map.entry("HOLDFAST_MAX_KEYS_PER_CONNECTION", "29"),
                        Map.entry("HOLDFAST_TLS_CERT", "c"),
                        Map.entry("HOLDFAST_TLS_KEY", "k"),
                        Map.entry("HOLDFAST_AUTO_RELEASE_ON_DISCONNECT", "no"),
                        Map.entry("HOLDFAST_FENCE_STATE_FILE", "f"),
                        Map.entry("HOLDFAST_TRANSPORT", "nio"),
                        Map.entry("HOLDFAST_EVENT_LOOPS", "12"));
        assertThat(config(environment))
                .isEqualTo(
                        config(
                                "--listen=dflockds://[::1]:7000",
                                "--default-lease-ttl=1",
                                "--gc-interval=3",
                                "--gc-max-idle=4",
                                "--max-locks=5",
                                "--max-connections=6",
                                "--max-connections-per-ip=7",
                                "--max-waiters=8",
                                "--max-keys=13",
                                "--max-list-length=14",
                                "--max-subscriptions=15",
                                "--max-push-bytes=16",
                                "--lockd-max-locks=17",
                                "--ws-allow-origin=one.example",
                                "--ws-allow-origin=two.example",
                                "--read-timeout=9",
                                "--write-timeout=10",
                                "--shutdown-timeout=11",
                                "--tls-cert=c",
                                "--tls-key=k",
                                "--auto-release-on-disconnect=false",
                                "--fence-state-file=f",
                                "--transport=nio",
                                "--max-session-grace=18",
                                "--max-names-per-connection=27",
                                "--max-waiters-per-connection=28",
                                "--max-keys-per-connection=29",
                                "--event-loops=12"));
        List<String> others = List.of("auth-token", "auth-token-file", "debug");
        assertThat(Arrays.stream(Setting.values()))
                .filteredOn(s -> s.serveDefault != null && !others.contains(s.flag))
                .filteredOn(s -> !s.flag.startsWith("http"))
                .filteredOn(s -> !ClusterSettingsTest.SETTINGS.contains(s))
                .filteredOn(s -> s != Setting.STATE_DIR && s != Setting.RESTART_QUARANTINE)
                .extracting(Setting::holdfastVariable)
                .containsExactlyInAnyOrderElementsOf(environment.keySet());
    }

    @Nested
    @DisplayName("Options and variables")
    class Precedence {
        @Test
        void an_option_overrides_its_variable() {
            Map<String, String> set = Map.of("HOLDFAST_MAX_LOCKS", "5");
            assertThat(config(set, "--max-locks", "6").limits().maxLocks()).isEqualTo(6);
            assertThat(config(set).limits().maxLocks()).isEqualTo(5);
        }

        @Test
        void a_switch_overrides_its_variable() {
            Map<String, String> off = Map.of("HOLDFAST_AUTO_RELEASE_ON_DISCONNECT", "false");
            assertThat(config(off, "--auto-release-on-disconnect").autoRelease()).isTrue();
            Map<String, String> on = Map.of("HOLDFAST_AUTO_RELEASE_ON_DISCONNECT", "true");
            assertThat(config(on, "--no-auto-release-on-disconnect").autoRelease()).isFalse();
        }

        @Test
        void an_empty_variable_counts_as_unset() {
            assertThat(config(Map.of("HOLDFAST_MAX_LOCKS", "")).limits().maxLocks())
                    .isEqualTo(1_000_000);
        }

        @Test
        void variables_of_dflockd_are_ignored_by_serve() {
            assertThat(config(Map.of("DFLOCKD_MAX_LOCKS", "7")).limits().maxLocks())
                    .isEqualTo(1_000_000);
        }
    }

    @Nested
    @DisplayName("Listen addresses")
    class Listens {
        @Test
        void listen_options_replace_the_default_addresses() {
            assertThat(
                            config(
                                            "--listen",
                                            "dflockd://127.0.0.1:7001",
                                            "--listen=dflockd://[::1]:7002")
                                    .listeners())
                    .containsExactly(
                            DflockdProtocol.endpoint("127.0.0.1", 7001, false),
                            DflockdProtocol.endpoint("::1", 7002, false));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "dflockd://127.0.0.1:7001,dflockd://[::1]:7002",
                    "dflockd://127.0.0.1:7001 dflockd://[::1]:7002",
                    "dflockd://127.0.0.1:7001,  dflockd://[::1]:7002"
                })
        void the_listen_variable_sets_the_addresses(String urls) {
            assertThat(config(Map.of("HOLDFAST_LISTEN", urls)).listeners())
                    .containsExactly(
                            DflockdProtocol.endpoint("127.0.0.1", 7001, false),
                            DflockdProtocol.endpoint("::1", 7002, false));
        }

        @Test
        void a_listen_option_overrides_the_listen_variable() {
            Map<String, String> set = Map.of("HOLDFAST_LISTEN", "dflockd://127.0.0.1:7001");
            assertThat(config(set, "--listen", "dflockd://127.0.0.1:7002").listeners())
                    .containsExactly(DflockdProtocol.endpoint("127.0.0.1", 7002, false));
        }

        @Test
        void serve_listens_for_lockd_on_all_transports_at_once() {
            var config =
                    config(
                            "--tls-cert=c",
                            "--tls-key=k",
                            "--listen=lockd://127.0.0.1:1?allow-dump=true",
                            "--listen=lockds://127.0.0.1:2",
                            "--listen=lockd+unix:///run/lockd.sock?mode=0660",
                            "--listen=lockd+ws://127.0.0.1:3/",
                            "--listen=lockd+wss://127.0.0.1:4/");
            assertThat(config.listeners())
                    .extracting(listener -> listener.scheme() + "://" + listener)
                    .containsExactly(
                            "lockd://127.0.0.1:1",
                            "lockds://127.0.0.1:2",
                            "lockd+unix:///run/lockd.sock",
                            "lockd+ws://127.0.0.1:3",
                            "lockd+wss://127.0.0.1:4");
            assertThat(config.listeners())
                    .extracting(listener -> ((LockdOptions) listener.options()).allowDump())
                    .containsExactly(true, false, false, false, false);
        }

        @ParameterizedTest
        @ValueSource(strings = {"lockds://127.0.0.1:7001", "lockd+wss://127.0.0.1:7001"})
        void lockd_with_tls_requires_a_certificate(String url) {
            assertThatThrownBy(() -> config("--listen", url))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("127.0.0.1:7001 needs a certificate and a key");
        }

        @Test
        void tls_requires_a_certificate() {
            assertThatThrownBy(() -> config("--listen", "dflockds://127.0.0.1:7001"))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("127.0.0.1:7001 needs a certificate and a key");
        }

        @Test
        void a_plain_address_has_no_tls_beside_tls_addresses() {
            var config =
                    config(
                            "--tls-cert=c",
                            "--tls-key=k",
                            "--listen=dflockd://127.0.0.1:7001",
                            "--listen=dflockds://127.0.0.1:7002");
            assertThat(config.listeners())
                    .extracting(ListenEndpoint::tls)
                    .containsExactly(false, true);
        }

        @Test
        void a_certificate_without_a_tls_address_is_rejected() {
            assertThatThrownBy(() -> config("--tls-cert=c", "--tls-key=k"))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("no listen address uses TLS");
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "nonsense", "dflockd://127.0.0.1:7001,"})
        void an_invalid_listen_url_is_rejected(String url) {
            assertThatThrownBy(() -> config("--listen=" + url))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("--listen ");
        }
    }

    @Nested
    @DisplayName("Invalid values")
    class Refuses {
        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "--max-locks=abc | --max-locks must be a whole number (got abc)",
                    "--max-locks=-1 | --max-locks must be >= 0 (got -1)",
                    "--lockd-max-locks=-1 | --lockd-max-locks must be >= 0 (got -1)",
                    "--ws-allow-origin=* | --ws-allow-origin must be a host name, as in"
                            + " app.example.com (got *)",
                    "--read-timeout=soon | --read-timeout must be a whole number of seconds (got"
                            + " soon)",
                    "--read-timeout=0 | --read-timeout must be > 0",
                    "--write-timeout=-1 | --write-timeout must be >= 0 (got -1s)",
                    "--gc-interval=9223372037 | --gc-interval must be <= 9223372036 "
                            + "(got 9223372037s)",
                    "--max-waiters= | --max-waiters must be a whole number (got )",
                    "--transport=warp | --transport must be auto, io_uring, epoll, kqueue or nio "
                            + "(got warp)",
                    "--tls-cert=c | --tls-cert and --tls-key must be given together"
                })
        void an_invalid_value_is_rejected_with_the_name_of_the_setting(String arg, String text) {
            assertThatThrownBy(() -> config(arg))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage(text);
        }

        @ParameterizedTest
        @EnumSource
        void an_unreadable_variable_is_rejected(Setting setting) {
            if (setting.serveDefault == null || setting.type == SettingType.TEXT) {
                return;
            }
            assertThatThrownBy(() -> config(Map.of(setting.holdfastVariable(), "abc")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("--" + setting.flag + " must be ")
                    .hasMessageEndingWith(" (got abc)");
        }
    }

    @Test
    void takes_0_for_as_many_locks_as_memory_allows() {
        assertThat(config("--max-locks", "0").limits().maxLocks()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "--auto-release-on-disconnect,true",
        "--auto-release-on-disconnect=true,true",
        "--auto-release-on-disconnect=false,false",
        "--no-auto-release-on-disconnect,false"
    })
    void a_switch_accepts_every_spelling(String arg, boolean on) {
        assertThat(config(arg).autoRelease()).isEqualTo(on);
    }

    @Test
    void the_configuration_as_text_hides_the_secret() {
        assertThat(config("--auth-token", "open-sesame").toString())
                .contains("secret=***")
                .doesNotContain("sesame");
    }
}
