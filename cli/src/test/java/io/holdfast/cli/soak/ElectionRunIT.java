package io.holdfast.cli.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.bench.CommandRun;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Map;

@DisplayName("The soak command, when it kills primaries")
@Timeout(120)
class ElectionRunIT {
    @Test
    void finds_no_fault_in_five_rounds_among_eight_processes(@TempDir Path folder) {
        var run =
                CommandRun.of(
                        new SoakCommand(Map.of()),
                        "--election",
                        "--rounds=5",
                        "--processes=8",
                        "--dir=" + folder);
        System.err.print(run.err()); // how long it took is worth a line in the log
        assertThat(run.err())
                .containsPattern(
                        "soak: stopped after 5 rounds: \\d+ kills, \\d+ locks granted, \\d+"
                                + " increments, none lost, 0 overlaps, slowest progress \\d");
        assertThat(run.out()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void says_in_one_line_that_it_cannot_begin() {
        var run = CommandRun.of(new SoakCommand(Map.of()), "--election", "--dir=/nonexistent");
        assertThat(run.err().lines())
                .last()
                .asString()
                .startsWith("FAIL [election]: ")
                .contains("/nonexistent");
        assertThat(run.status()).isEqualTo(1);
    }
}
