package io.holdfast.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

@DisplayName("The bench command")
class BenchCommandTest {
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "--workers, 0",
        "--workers, -1",
        "--rounds, 0",
        "--rounds, -5",
        "--warmup, -1",
        "--timeout, -1",
        "--timeout, 9223372037",
        "--lease, -1",
        "--connections, -2",
        "--key, ''",
        "--key, 'a b'",
        "--server, ''",
        "--server, '127.0.0.1:1,'",
        "--server, '127.0.0.1:1,,127.0.0.1:2'",
        "--token-file, /no/such/file",
        "--tls-ca, /no/such/file",
        "--transport, pigeon"
    })
    void an_invalid_value_is_rejected_with_one_line_before_any_work(String flag, String value) {
        var run = CommandRun.of(new BenchCommand(Map.of()), flag, value);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).singleElement().asString().contains(flag);
    }

    @Test
    void more_latencies_than_the_heap_can_hold_are_rejected() {
        var options = TestBenchOptions.options(100, 20_000, "load", false);
        BenchCommand.requireHeap(options, 64L << 20);
        assertThatThrownBy(() -> BenchCommand.requireHeap(options, 24L << 20))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("100 workers x 20000 rounds need 16 MiB");
    }

    @Test
    void help_is_printed_to_standard_output() {
        var run = CommandRun.of(new BenchCommand(Map.of()), "--help");
        assertThat(run.status()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out().replaceAll("\\s+", " "))
                .contains("--workers", "--rounds", "--key", "--timeout", "--lease", "--servers")
                .contains("--connections", "--warmup", "--shared-key", "--json")
                .contains("(default: 10)", "(default: 127.0.0.1:6388)");
    }

    @Test
    void unknown_options_are_rejected() {
        var run = CommandRun.of(new BenchCommand(Map.of()), "--wrokers", "3");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("--wrokers");
    }
}
