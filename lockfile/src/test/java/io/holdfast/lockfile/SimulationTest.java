package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("The simulation itself")
class SimulationTest {
    private static final Path OTHER = Simulation.FOLDER.resolve("other");

    @Test
    void equal_seeds_produce_equal_runs() {
        assertThat(traceOf(7)).isEqualTo(traceOf(7)).isNotEqualTo(traceOf(8));
    }

    private static List<String> traceOf(long seed) {
        try (var simulation = new Simulation(seed)) {
            new SimulatedProcesses(simulation, 4).members(3).polite(1).naive(1);
            simulation.run(new RandomSchedule(simulation).killing(50).movingClock(5, true));
            return new ArrayList<>(simulation.trace());
        }
    }

    @Test
    void the_simulation_finds_that_two_naive_takeovers_of_one_stale_file_can_both_succeed() {
        int rounds = 0;
        for (long seed = 1; seed <= 300; seed++) {
            try (var simulation = new Simulation(seed)) {
                simulation.plant("pid=99\ntimestamp=1234567890\n", 1234567890);
                var simulatedProcesses = new SimulatedProcesses(simulation, 1).naive(3);
                simulation.run(new RandomSchedule(simulation));
                rounds += simulatedProcesses.witness.overlaps().isEmpty() ? 0 : 1;
            }
        }
        assertThat(rounds).isPositive();
    }

    @Test
    void an_inode_is_reused_by_the_next_file_unless_it_is_open() throws Exception {
        try (var simulation = new Simulation(1)) {
            var numbers = new ArrayList<Long>();
            simulation.finish(
                    simulation.add(
                            "process",
                            self -> {
                                SimulatedFolder folder = simulation.folder();
                                self.disk.create(OTHER, false).close();
                                numbers.add(folder.delete(OTHER).number);
                                self.disk.create(OTHER, false);
                                numbers.add(folder.delete(OTHER).number);
                                self.disk.create(OTHER, false).close();
                                numbers.add(folder.delete(OTHER).number);
                            }));
            assertThat(numbers.get(1)).isEqualTo(numbers.get(0));
            assertThat(numbers.get(2)).isNotEqualTo(numbers.get(1));
        }
    }

    @Test
    void a_killed_process_executes_nothing_more_and_loses_its_file_locks() {
        try (var simulation = new Simulation(1)) {
            SimulatedProcess victim =
                    simulation.add(
                            "victim",
                            self ->
                                    self.disk.locked(
                                            Simulation.SIDECAR,
                                            Duration.ZERO,
                                            () -> self.disk.create(OTHER, false)));
            simulation.runUntil(victim, "create other");
            simulation.kill(victim);
            simulation.finish(victim);
            assertThat(simulation.folder().at(OTHER)).isNull();
            assertThat(victim.failure()).isNull();
            SimulatedProcess next =
                    simulation.add(
                            "next",
                            self ->
                                    assertThat(
                                                    self.disk.locked(
                                                            Simulation.SIDECAR,
                                                            Duration.ZERO,
                                                            () -> true))
                                            .isPresent());
            simulation.finish(next);
            assertThat(next.failure()).isNull();
        }
    }
}
