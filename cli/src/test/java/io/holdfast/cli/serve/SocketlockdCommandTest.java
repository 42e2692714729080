package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.socketlock.SocketlockOptions;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

@DisplayName("The flags of socketlockd")
class SocketlockdCommandTest {
    private record Ended(int status, String out, List<String> err) {
        static Ended of(String... args) {
            try (StandardStreams streams = new StandardStreams()) {
                int status = SocketlockdCommand.run(List.of(args), "holdfast 1");
                return new Ended(status, streams.out(), streams.errLines());
            }
        }
    }

    private static SocketlockOptions socketlock(String... args) throws GoFlags.FlagException {
        ServerConfig config = SocketlockdCommand.config(List.of(args));
        assertThat(config.listeners()).singleElement().hasToString("/run/s");
        return (SocketlockOptions) config.listeners().getFirst().options();
    }

    @Test
    void the_flags_have_defaults() throws Exception {
        SocketlockOptions socketlock = socketlock("-socket", "/run/s");
        assertThat(socketlock.policy()).isEqualTo(QueuePolicy.FIFO);
        assertThat(socketlock.key()).isNull();
        assertThat(socketlock.limits().request()).hasSeconds(30);
        assertThat(socketlock.limits().confirm()).hasSeconds(30);
        assertThat(socketlock.limits().maxTtl()).isZero();
    }

    @Test
    void flags_have_one_dash_or_two_and_an_optional_equals_sign() throws Exception {
        SocketlockOptions socketlock =
                socketlock(
                        "--socket=/run/s",
                        "-policy=writer",
                        "--request-timeout",
                        "700ms",
                        "-confirm-timeout",
                        "1m30s",
                        "-max-ttl=2s",
                        "extra",
                        "--policy=nonsense");
        assertThat(socketlock.policy()).isEqualTo(QueuePolicy.WRITER_PREFERRED);
        assertThat(socketlock.limits().request()).hasMillis(700);
        assertThat(socketlock.limits().confirm()).hasSeconds(90);
        assertThat(socketlock.limits().maxTtl()).hasSeconds(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1s", "0s"})
    void a_timeout_that_is_not_positive_is_the_default(String value) throws Exception {
        SocketlockOptions socketlock =
                socketlock(
                        "-socket",
                        "/run/s",
                        "-request-timeout",
                        value,
                        "-confirm-timeout",
                        value,
                        "-max-ttl",
                        value);
        assertThat(socketlock.limits().request()).hasSeconds(30);
        assertThat(socketlock.limits().confirm()).hasSeconds(30);
        assertThat(socketlock.limits().maxTtl()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "fifo, FIFO",
        "' FIFO ', FIFO",
        "reader, READER_PREFERRED",
        "read, READER_PREFERRED",
        "ReaderPreferred, READER_PREFERRED",
        "writer, WRITER_PREFERRED",
        "WRITE, WRITER_PREFERRED",
        "writerpreferred, WRITER_PREFERRED"
    })
    void a_policy_has_several_names(String name, QueuePolicy queuePolicy) throws Exception {
        assertThat(socketlock("-socket", "/run/s", "-policy", name).policy())
                .isEqualTo(queuePolicy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "lifo", "reader,writer"})
    void an_unknown_policy_is_rejected(String name) {
        assertThat(Ended.of("-socket", "/run/s", "-policy", name))
                .isEqualTo(
                        new Ended(
                                1,
                                "",
                                List.of("invalid policy: expected fifo, reader, or writer")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void a_socket_path_is_required(String path) {
        Ended expected = new Ended(1, "", List.of("socket path is required"));
        assertThat(Ended.of("-socket", path)).isEqualTo(expected);
        assertThat(Ended.of("-policy", "fifo")).isEqualTo(expected);
        assertThatThrownBy(() -> SocketlockdCommand.config(List.of()))
                .isInstanceOf(ConfigException.class);
    }

    @ParameterizedTest
    @CsvSource({"-request-timeout, 5", "-confirm-timeout, 5", "-max-ttl, 5", "-max-ttl, soon"})
    void a_number_without_a_unit_is_not_a_duration(String flag, String value) {
        Ended ended = Ended.of("-socket", "/run/s", flag, value);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().getFirst())
                .isEqualTo("invalid value \"" + value + "\" for flag " + flag + ": parse error");
        assertThat(ended.err().get(1)).startsWith("Usage: ");
    }

    @Test
    void an_unknown_flag_or_a_missing_value_prints_the_usage() {
        Ended unknown = Ended.of("-socket", "/run/s", "--nope");
        assertThat(unknown.status()).isEqualTo(2);
        assertThat(unknown.out()).isEmpty();
        assertThat(unknown.err().getFirst()).isEqualTo("flag provided but not defined: -nope");
        assertThat(unknown.err()).anyMatch(line -> line.contains("--confirm-timeout"));
        Ended bare = Ended.of("-socket");
        assertThat(bare.status()).isEqualTo(2);
        assertThat(bare.err().getFirst()).isEqualTo("flag needs an argument: -socket");
    }

    @Test
    void a_failed_start_prints_one_line() {
        assertThat(Ended.of("-socket", "/does/not/exist/s"))
                .satisfies(ended -> assertThat(ended.status()).isEqualTo(1))
                .satisfies(ended -> assertThat(ended.out()).isEmpty())
                .satisfies(
                        ended ->
                                assertThat(ended.err())
                                        .singleElement()
                                        .asString()
                                        .startsWith("start server: ")
                                        .contains("no such directory"));
    }
}
