package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.ConfigException;
import io.holdfast.server.ListenerProtocol;
import io.holdfast.server.ServerConfig;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

@DisplayName("The flags of socketlockd")
class SocketlockdCommandTest {
    private record Ended(int status, String out, List<String> err) {
        static Ended of(String... words) {
            try (StandardStreams streams = new StandardStreams()) {
                int status = SocketlockdCommand.run(List.of(words), "holdfast 1");
                return new Ended(status, streams.out(), streams.errLines());
            }
        }
    }

    private static ListenerProtocol.Socketlock socketlock(String... words)
            throws GoFlags.FlagException {
        ServerConfig config = SocketlockdCommand.config(List.of(words));
        assertThat(config.listeners()).singleElement().hasToString("/run/s");
        return (ListenerProtocol.Socketlock) config.listeners().getFirst().protocol();
    }

    @Test
    void have_defaults() throws Exception {
        ListenerProtocol.Socketlock socketlock = socketlock("-socket", "/run/s");
        assertThat(socketlock.policy()).isEqualTo(QueuePolicy.FIFO);
        assertThat(socketlock.key()).isNull();
        assertThat(socketlock.limits().request()).hasSeconds(30);
        assertThat(socketlock.limits().confirm()).hasSeconds(30);
        assertThat(socketlock.limits().maxTtl()).isZero();
    }

    @Test
    void have_one_dash_or_two_and_an_equals_sign_or_none() throws Exception {
        ListenerProtocol.Socketlock socketlock =
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
    void mean_the_usual_time_if_it_is_not_above_zero(String value) throws Exception {
        ListenerProtocol.Socketlock socketlock =
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
    void know_a_policy_by_several_names(String name, QueuePolicy queuePolicy) throws Exception {
        assertThat(socketlock("-socket", "/run/s", "-policy", name).policy())
                .isEqualTo(queuePolicy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "lifo", "reader,writer"})
    void know_no_other_policy(String name) {
        assertThat(Ended.of("-socket", "/run/s", "-policy", name))
                .isEqualTo(
                        new Ended(
                                1,
                                "",
                                List.of("invalid policy: expected fifo, reader, or writer")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void need_a_path(String path) {
        Ended wanted = new Ended(1, "", List.of("socket path is required"));
        assertThat(Ended.of("-socket", path)).isEqualTo(wanted);
        assertThat(Ended.of("-policy", "fifo")).isEqualTo(wanted);
        assertThatThrownBy(() -> SocketlockdCommand.config(List.of()))
                .isInstanceOf(ConfigException.class);
    }

    @ParameterizedTest
    @CsvSource({"-request-timeout, 5", "-confirm-timeout, 5", "-max-ttl, 5", "-max-ttl, soon"})
    void take_no_bare_number_for_a_time(String flag, String value) {
        Ended ended = Ended.of("-socket", "/run/s", flag, value);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().getFirst())
                .isEqualTo("invalid value \"" + value + "\" for flag " + flag + ": parse error");
        assertThat(ended.err().get(1)).startsWith("Usage: ");
    }

    @Test
    void are_told_if_one_is_unknown_or_has_no_value() {
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
    void lead_to_one_line_if_the_server_cannot_start() {
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
