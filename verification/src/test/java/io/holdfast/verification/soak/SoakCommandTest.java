package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.verification.bench.CommandRun;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

@DisplayName("The soak command")
class SoakCommandTest {
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "--workers, 0",
        "--workers, -1",
        "--rounds-per-cycle, 0",
        "--cycles, -1",
        "--server, ''",
        "--server, nowhere",
        "--token-file, /no/such/token",
        "--tls-ca, /no/such/tls-ca"
    })
    void a_bad_value_is_rejected_with_one_line_before_the_run(String flag, String value) {
        var run = CommandRun.of(new SoakCommand(Map.of(), SoakMain.class), flag, value);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("soak: ")
                .contains(flag.substring(2));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"--rounds, 0", "--processes, 1", "--processes, 65"})
    void a_bad_value_of_an_election_run_is_rejected(String flag, String value) {
        var run =
                CommandRun.of(new SoakCommand(Map.of(), SoakMain.class), "--election", flag, value);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("soak: " + flag + " must be");
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"--rounds, 3", "--processes, 4", "--dir, /tmp"})
    void options_of_election_runs_are_rejected_without_election(String flag, String value) {
        var run = CommandRun.of(new SoakCommand(Map.of(), SoakMain.class), flag, value);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("are for --election and --lockfile only");
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"--rounds, 0", "--processes, 2", "--processes, 65"})
    void a_bad_value_of_a_lock_file_run_is_rejected(String flag, String value) {
        var run =
                CommandRun.of(new SoakCommand(Map.of(), SoakMain.class), "--lockfile", flag, value);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("soak: " + flag + " must be");
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"--server, 127.0.0.1:1", "--cycles, 1", "--workers, 2"})
    void options_of_server_runs_are_rejected_with_lockfile(String flag, String value) {
        var run =
                CommandRun.of(new SoakCommand(Map.of(), SoakMain.class), "--lockfile", flag, value);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(flag + " is not for --lockfile");
    }

    @Test
    void election_and_lockfile_together_are_rejected() {
        var run =
                CommandRun.of(
                        new SoakCommand(Map.of(), SoakMain.class), "--election", "--lockfile");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--lockfile is not for --election");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--election", "--cycles=1"})
    void a_seed_without_lockfile_or_cluster_is_rejected(String flag) {
        var run = CommandRun.of(new SoakCommand(Map.of(), SoakMain.class), flag, "--seed=1");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--seed is for --lockfile and --cluster only");
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"--server, 127.0.0.1:1", "--cycles, 1", "--workers, 2"})
    void options_of_server_runs_are_rejected_with_election(String flag, String value) {
        var run =
                CommandRun.of(new SoakCommand(Map.of(), SoakMain.class), "--election", flag, value);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(flag + " is not for --election");
    }

    @Test
    void help_is_printed_to_standard_output() {
        var run = CommandRun.of(new SoakCommand(Map.of(), SoakMain.class), "--help");
        assertThat(run.status()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out().replaceAll("\\s+", " "))
                .contains("--server", "--workers", "--rounds-per-cycle", "--cycles")
                .contains("--election", "--lockfile", "--rounds", "--processes", "--dir", "--seed")
                .contains("locks, semaphores, two-phase locks, counters, values")
                .contains("signals, queue groups and lists")
                .contains("(default: 127.0.0.1:6388)", "(default: 4)", "(default: 20)");
    }

    @Test
    void an_unknown_option_is_rejected() {
        var run = CommandRun.of(new SoakCommand(Map.of(), SoakMain.class), "--forever");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--forever");
    }
}
