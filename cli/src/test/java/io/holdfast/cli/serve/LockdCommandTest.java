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
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.lockd.LockdOptions;
import io.holdfast.server.lockd.LockdProtocol;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;

@DisplayName("holdfast lockd")
class LockdCommandTest {
    private static ServerConfig config(String... args) {
        try {
            return LockdCommand.config(args);
        } catch (GoFlags.FlagException e) {
            throw new AssertionError(e);
        }
    }

    private static ServerConfig configOf(String line) {
        return config(line.isEmpty() ? new String[0] : line.split(" ", -1));
    }

    private static List<String> listeners(String line) {
        return configOf(line).listeners().stream()
                .map(listenEndpoint -> listenEndpoint.scheme() + "://" + listenEndpoint.address())
                .toList();
    }

    private static LockdOptions options(String line) {
        return options(configOf(line).listeners().getFirst());
    }

    private static LockdOptions options(ListenEndpoint listenEndpoint) {
        return (LockdOptions) listenEndpoint.options();
    }

    private static Duration seconds(long value) {
        return Duration.ofSeconds(value);
    }

    /** The result of a run that does not serve. */
    private record Ended(int status, String out, List<String> err) {
        static Ended of(String... args) {
            try (StandardStreams streams = new StandardStreams()) {
                int status = LockdCommand.run(List.of(args), "holdfast 1.2.3");
                return new Ended(status, streams.out(), streams.errLines());
            }
        }

        /** Returns the line with the reason why the server did not start. */
        static String refusal(String... args) {
            Ended ended = of(args);
            assertThat(ended.status()).isEqualTo(1);
            assertThat(ended.out()).isEmpty();
            assertThat(ended.err()).hasSize(1);
            assertThat(ended.err().getFirst()).startsWith("configuration error: ");
            return ended.err().getFirst().substring("configuration error: ".length());
        }
    }

    @Test
    void the_lockd_command_listens_on_tcp_9999_of_this_machine_with_dump_and_registry_off() {
        assertThat(config())
                .isEqualTo(
                        ServerConfig.builder()
                                .listeners(
                                        new ListenEndpoint(
                                                LockdProtocol.TCP,
                                                new ListenAddress.Tcp("127.0.0.1", 9999),
                                                new LockdOptions(Namespace.DEFAULT, false, false)))
                                .limits(
                                        Limits.builder()
                                                .maxLocks(1_000_000)
                                                .maxLockdLocks(1_000_000)
                                                .maxEntries(0)
                                                .maxWaiters(0)
                                                .perClient(ClientLimits.NONE)
                                                .maxConnections(0)
                                                .maxConnectionsPerAddress(0)
                                                .build())
                                .timeouts(
                                        Timeouts.builder()
                                                .collectEvery(seconds(5))
                                                .idle(seconds(60))
                                                .read(seconds(23))
                                                .write(seconds(5))
                                                .shutdown(seconds(5))
                                                .build())
                                .webSocketOrigins(Set.of())
                                .events(null)
                                .transport(IoTransport.AUTO)
                                .eventLoops(0)
                                .build());
    }

    @Nested
    @DisplayName("Listen options")
    class Listens {
        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                textBlock =
                        """
                        --tcp 7000                        | lockd://127.0.0.1:7000
                        -t 7000                           | lockd://127.0.0.1:7000
                        --tcp=7000                        | lockd://127.0.0.1:7000
                        --tcp 7000 -t 7001                | lockd://127.0.0.1:7000,lockd://127.0.0.1:7001
                        --ws 7000                         | lockd+ws://127.0.0.1:7000
                        --ws 7000 --ws 0.0.0.0:7001       | lockd+ws://127.0.0.1:7000,lockd+ws://0.0.0.0:7001
                        --unix /run/l                     | lockd+unix:///run/l
                        --unix /run/l --unix here         | lockd+unix:///run/l,lockd+unix://here
                        --ws 1 --unix u --tcp 2           | lockd://127.0.0.1:2,lockd+unix://u,lockd+ws://127.0.0.1:1
                        --verbose=false                   | lockd://127.0.0.1:9999
                        """)
        void lockd_listens_only_where_the_options_say(String args, String urls) {
            assertThat(listeners(args)).containsExactly(urls.split(","));
        }

        @ParameterizedTest
        @CsvSource({
            "9998,127.0.0.1,9998",
            "0,127.0.0.1,0",
            "65535,127.0.0.1,65535",
            "127.0.0.1:7,127.0.0.1,7",
            "0.0.0.0:9999,0.0.0.0,9999",
            "localhost:7,localhost,7",
            "lock_1.example-a.org:7,lock_1.example-a.org,7",
            "[::1]:9999,::1,9999",
            "[::]:0,::,0"
        })
        void lockd_accepts_a_port_or_host_and_port(String text, String host, int port) {
            for (String option : List.of("--tcp", "-t", "--ws")) {
                assertThat(config(option, text).listeners())
                        .extracting(ListenEndpoint::address)
                        .containsExactly(new ListenAddress.Tcp(host, port));
            }
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "x",
                    "-1",
                    "65536",
                    "100000",
                    "99999999999999999999",
                    ":9999",
                    "127.0.0.1:",
                    "127.0.0.1",
                    "127.0.0.1:x",
                    "127.0.0.1: 7",
                    "::1:9999",
                    "[]:9999",
                    "[::1]",
                    "0x10",
                    "+7",
                    "٧"
                })
        void lockd_rejects_malformed_addresses(String text) {
            for (String option : List.of("--tcp", "--ws")) {
                assertThat(Ended.refusal(option, text))
                        .isEqualTo(
                                option
                                        + " must be [HOST:]PORT, as in 9999, 0.0.0.0:9999 or"
                                        + " [::1]:9999 (got "
                                        + text
                                        + ")");
            }
        }

        @Test
        void lockd_creates_a_unix_socket_with_the_given_mode() {
            assertThat(configOf("--unix u --unix-mode 0660").listeners())
                    .extracting(ListenEndpoint::address)
                    .containsExactly(
                            new ListenAddress.Unix(
                                    Path.of("u"), PosixFilePermissions.fromString("rw-rw----")));
            assertThat(configOf("--unix u").listeners())
                    .extracting(ListenEndpoint::address)
                    .containsExactly(new ListenAddress.Unix(Path.of("u"), null));
        }

        @Test
        void a_malformed_mode_or_one_without_a_socket_is_rejected() {
            assertThat(Ended.refusal("--unix", "u", "--unix-mode", "rw"))
                    .isEqualTo("--unix-mode must be three octal digits, as in 0660 (got rw)");
            assertThat(Ended.refusal("--unix-mode", "0660"))
                    .isEqualTo("--unix-mode requires --unix");
        }

        @Test
        void a_malformed_socket_path_is_rejected() {
            assertThat(Ended.refusal("--unix", "")).isEqualTo("--unix needs a path");
            assertThat(Ended.refusal("--unix", "a\0b")).startsWith("--unix: ");
        }
    }

    @Nested
    @DisplayName("Options of glockd")
    class Glockd {
        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                textBlock =
                        """
                        -port 7000                | lockd://127.0.0.1:7000
                        -port=7000                | lockd://127.0.0.1:7000
                        --port 7000               | lockd://127.0.0.1:7000
                        -ws 7000                  | lockd+ws://127.0.0.1:7000
                        -port 7000 -ws 7001       | lockd://127.0.0.1:7000,lockd+ws://127.0.0.1:7001
                        -port 0 -ws 7001          | lockd+ws://127.0.0.1:7001
                        -port 7000 -ws 0          | lockd://127.0.0.1:7000
                        -ws 0                     | lockd://127.0.0.1:9999
                        -ws 7001 -ws 0            | lockd://127.0.0.1:9999
                        -port 0 -ws 0 -unix /u    | lockd+unix:///u
                        -port 0 --tcp 0           | lockd://127.0.0.1:0
                        -unix /u                  | lockd+unix:///u
                        -tcp 0                    | lockd://127.0.0.1:0
                        --ws 0                    | lockd+ws://127.0.0.1:0
                        --ws=0 --tcp=0            | lockd://127.0.0.1:0,lockd+ws://127.0.0.1:0
                        """)
        void port_0_is_off_for_glockd_flags_and_a_free_port_for_lockd_options(
                String args, String urls) {
            assertThat(listeners(args)).containsExactly(urls.split(","));
        }

        @ParameterizedTest
        @ValueSource(strings = {"-port 0", "-port=0", "-port 0 -ws 0", "-ws 0 -port 00"})
        void switching_off_every_listener_is_rejected(String args) {
            assertThat(Ended.refusal(args.split(" ")))
                    .isEqualTo("no address to listen on: give --tcp, --unix or --ws");
        }

        @ParameterizedTest
        @CsvSource({
            "--allow-dump,true,false",
            "-allow-dump,true,false",
            "--allow-dump=false,false,false",
            "-dump,true,false",
            "-dump=true,true,false",
            "-dump=t,true,false",
            "-dump=1,true,false",
            "-dump=false,false,false",
            "-dump=0,false,false",
            "--enable-registry,false,true",
            "-registry,false,true",
            "-registry=true,false,true",
            "-registry=false,false,false",
            "-dump -registry,true,true",
            "-dump=true -dump=false,false,false",
            "--allow-dump -dump=F,false,false",
            "--enable-registry --allow-dump,true,true",
            "-port 1,false,false"
        })
        void glockd_switches_are_accepted_with_lockd_defaults(
                String args, boolean dump, boolean registry) {
            assertThat(configOf(args).listeners())
                    .extracting(ListenEndpoint::options)
                    .containsExactly(new LockdOptions(Namespace.DEFAULT, dump, registry));
        }

        @Test
        void switches_apply_to_every_listener() {
            assertThat(configOf("--tcp 0 --ws 0 --unix u -dump").listeners())
                    .extracting(listenEndpoint -> options(listenEndpoint).allowDump())
                    .containsExactly(true, true, true);
        }

        @Test
        void the_disable_options_of_lockd_are_accepted() {
            assertThat(options("--allow-dump --disable-dump").allowDump()).isFalse();
            assertThat(options("--enable-registry --disable-registry").enableRegistry()).isFalse();
            assertThat(options("--disable-dump=false").allowDump()).isTrue();
        }

        /** As in glockd. */
        @ParameterizedTest
        @CsvSource({
            "--tcp 1 -port 0,lockd://127.0.0.1:1",
            "-port 1 -port 2,lockd://127.0.0.1:2",
            "-ws 1 -ws 0 --ws 2,lockd+ws://127.0.0.1:2",
            "-unix= -port 3,lockd://127.0.0.1:3"
        })
        void the_last_value_of_a_repeated_option_is_used(String args, String listener) {
            assertThat(listeners(args)).containsExactly(listener);
        }

        @ParameterizedTest
        @ValueSource(strings = {"-pidfile p", "--pid-file p", "-p p", "-verbose", "-verbose=true"})
        void the_pid_file_and_verbose_options_of_glockd_are_accepted(String args) {
            assertThat(listeners(args)).containsExactly("lockd://127.0.0.1:9999");
        }
    }

    @Nested
    @DisplayName("Invalid options")
    class Refuses {
        /**
         * glockd parses {@code -dump false} as {@code -dump} and ignores the rest; here it is an
         * error.
         */
        @ParameterizedTest
        @CsvSource({
            "-dump false,false",
            "-registry false -port 1,false",
            "-verbose true,true",
            "9999,9999",
            "--tcp 0 start,start",
            "--tcp 0 -- x,--",
            "-,-"
        })
        void an_argument_that_is_not_an_option_is_rejected(String args, String arg) {
            assertThat(Ended.refusal(args.split(" ")))
                    .isEqualTo("not an option: " + arg + " (see --help)");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"alow-dump", "Tcp", "listen", "max-locks", "auth-token", "tls-cert"})
        void an_unknown_option_is_rejected(String name) {
            assertThat(Ended.refusal("--tcp", "0", "--" + name, "1"))
                    .isEqualTo("flag provided but not defined: -" + name + " (see --help)");
            assertThat(Ended.refusal("-" + name))
                    .isEqualTo("flag provided but not defined: -" + name + " (see --help)");
        }

        @ParameterizedTest
        @ValueSource(strings = {"tcp", "t", "ws", "unix", "pid-file", "pidfile", "port"})
        void an_option_without_its_value_is_rejected(String name) {
            assertThat(Ended.refusal("-" + name))
                    .isEqualTo("flag needs an argument: -" + name + " (see --help)");
        }

        @ParameterizedTest
        @ValueSource(strings = {"dump", "registry", "allow-dump", "enable-registry", "verbose"})
        void a_switch_with_an_invalid_value_is_rejected(String name) {
            assertThat(Ended.refusal("-" + name + "=maybe"))
                    .isEqualTo("--" + name + " must be true or false (got maybe)");
        }

        @ParameterizedTest
        @CsvSource({
            "--lockd-max-locks=-1,--lockd-max-locks must be >= 0 (got -1)",
            "--lockd-max-locks=x,--lockd-max-locks cannot be x",
            "--shutdown-timeout=-1,--shutdown-timeout must be >= 0 (got -1s)",
            "--write-timeout=5s,--write-timeout cannot be 5s",
            "--debug=maybe,--debug cannot be maybe",
            "--ws-allow-origin=a b*,'--ws-allow-origin must be a host name, as in app.example.com "
                    + "(got b*)'",
            "'-port=65536','-port must be [HOST:]PORT, as in 9999, 0.0.0.0:9999 or [::1]:9999 (got "
                    + "65536)'"
        })
        void an_invalid_value_is_rejected_with_a_reason(String arg, String reason) {
            assertThat(Ended.refusal(arg)).isEqualTo(reason);
        }
    }

    @Test
    void lockd_accepts_the_shared_settings_of_serve() {
        ServerConfig config =
                config(
                        "--lockd-max-locks=1",
                        "--ws-allow-origin",
                        "one.example",
                        "--ws-allow-origin=two.example,three.example",
                        "--max-connections=2",
                        "--max-connections-per-ip=3",
                        "--read-timeout=8",
                        "--write-timeout=4",
                        "--shutdown-timeout=6",
                        "--transport=nio",
                        "--event-loops=7",
                        "--debug=false");
        assertThat(config.limits().maxLockdLocks()).isEqualTo(1);
        assertThat(config.webSocketOrigins())
                .containsExactlyInAnyOrder("one.example", "two.example", "three.example");
        assertThat(config.limits().maxConnections()).isEqualTo(2);
        assertThat(config.limits().maxConnectionsPerAddress()).isEqualTo(3);
        assertThat(config.timeouts().read()).isEqualTo(seconds(8));
        assertThat(config.timeouts().write()).isEqualTo(seconds(4));
        assertThat(config.timeouts().shutdown()).isEqualTo(seconds(6));
        assertThat(config.transport()).isEqualTo(IoTransport.NIO);
        assertThat(config.eventLoops()).isEqualTo(7);
    }

    @Test
    void takes_0_for_as_many_locks_as_memory_allows() {
        assertThat(config("--lockd-max-locks", "0").limits().maxLockdLocks()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-help", "-h", "--h"})
    void help_prints_the_usage(String flag) {
        Ended ended = Ended.of("--tcp", "7", flag, "word");
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .startsWith("Usage: holdfast lockd")
                .contains(
                        "  --tcp, -t [HOST:]PORT\n",
                        "  --unix PATH\n",
                        "  --unix-mode MODE\n",
                        "  --ws [HOST:]PORT\n",
                        "  --allow-dump\n",
                        "  --enable-registry\n",
                        "  --pid-file, -p PATH\n",
                        "  --verbose\n",
                        "  --help, -h\n",
                        "  --version\n",
                        "  --lockd-max-locks N\n",
                        "  --ws-allow-origin TEXT\n",
                        "  --shutdown-timeout SECONDS\n")
                .contains("(default 1000000)", "(default 5)")
                .contains("-port N", "-pidfile PATH", "-dump", "-registry", "-verbose")
                .contains("no authentication");
        assertThat(ended.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(101));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-version"})
    void version_prints_the_version(String flag) {
        Ended ended = Ended.of(flag);
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEqualTo("holdfast 1.2.3" + System.lineSeparator());
    }

    @Test
    void config_throws_for_an_invalid_value() {
        assertThatThrownBy(() -> config("--tcp", "x")).isInstanceOf(ConfigException.class);
    }
}
