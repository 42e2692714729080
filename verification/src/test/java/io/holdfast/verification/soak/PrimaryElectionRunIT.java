package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.verification.bench.CommandRun;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Map;

@DisplayName("The soak command, when it kills primaries")
@Timeout(120)
class PrimaryElectionRunIT {
    @Test
    void five_rounds_of_killing_the_primary_among_eight_processes_find_no_fault(
            @TempDir Path folder) {
        var run =
                CommandRun.of(
                        new SoakCommand(Map.of(), SoakMain.class),
                        "--election",
                        "--rounds=5",
                        "--processes=8",
                        "--dir=" + folder);
        System.err.print(run.err()); // shows the times in the build log
        assertThat(run.err())
                .containsPattern(
                        "soak: stopped after 5 rounds: \\d+ kills, \\d+ locks granted, \\d+"
                                + " increments, none lost, 0 overlaps, slowest progress \\d");
        assertThat(run.out()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void an_election_run_that_cannot_start_fails_with_one_line() {
        var run =
                CommandRun.of(
                        new SoakCommand(Map.of(), SoakMain.class),
                        "--election",
                        "--dir=/nonexistent");
        assertThat(run.err().lines())
                .last()
                .asString()
                .startsWith("FAIL [election]: ")
                .contains("/nonexistent");
        assertThat(run.status()).isEqualTo(1);
    }
}
