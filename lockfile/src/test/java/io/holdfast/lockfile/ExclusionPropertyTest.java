package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;

@DisplayName("Mutual exclusion with exclusively creating scripts and kills")
class ExclusionPropertyTest {
    /**
     * Counts what the seeds have reached, to check that the property is tested by enough events.
     */
    private int turns;

    private int takenOver;
    private int killed;
    private int abandoned;

    @Test
    void there_are_never_two_holders_and_the_lock_can_always_be_acquired_again() {
        Seeds.each(2000, this::holds);
        Seeds.assertReached(turns, 2500, "turns");
        Seeds.assertReached(takenOver, 500, "takeovers");
        Seeds.assertReached(killed, 500, "kills");
        Seeds.assertReached(abandoned, 15, "locks abandoned since the sidecar was busy");
    }

    @Test
    void there_are_never_two_holders_without_hard_links() {
        Seeds.each(
                750,
                simulation -> {
                    simulation.withoutHardLinks();
                    holds(simulation);
                });
        Seeds.assertReached(takenOver, 150, "takeovers");
    }

    @Test
    void a_refused_attempt_leaves_the_file_unchanged_and_no_helper_behind() {
        for (String content : List.of("pid=99\ntimestamp=1699999950\n", "", "pid=9", "a letter")) {
            try (var simulation = new Simulation(1)) {
                simulation.plant(content, simulation.now() - Simulation.STALE.toSeconds());
                var before = simulation.folder().at(Simulation.LOCK);
                var libraryProcess = new LibraryProcess(new MutualExclusionChecker(), 1);
                simulation.finish(simulation.add("member", libraryProcess));
                assertThat(libraryProcess.acquired()).isZero();
                assertThat(simulation.folder().paths()).containsExactly(Simulation.LOCK);
                assertThat(simulation.folder().at(Simulation.LOCK)).isSameAs(before);
                assertThat(before.bytes()).asString().isEqualTo(content);
                assertThat(simulation.trace()).noneMatch(step -> step.contains("create"));
            }
        }
    }

    private void holds(Simulation simulation) {
        var simulatedProcesses =
                new SimulatedProcesses(simulation, 6).afterPossibleCrash().members(4).polite(2);
        boolean clockGoesBack = simulation.oneIn(3);
        simulation.tearing(!clockGoesBack);
        simulation.run(
                new RandomSchedule(simulation)
                        .killing(simulatedProcesses.someKillOdds())
                        .movingClock(5, clockGoesBack));

        assertThat(simulatedProcesses.witness.overlaps()).isEmpty();
        for (LibraryProcess libraryProcess : simulatedProcesses.members) {
            assertThat(libraryProcess.losses()).as("losses").isZero();
            assertThat(libraryProcess.failedAttempts()).as("failed attempts").isEmpty();
            assertThat(libraryProcess.otherFailures()).as("other failures").isEmpty();
            abandoned += libraryProcess.warnings().size();
        }
        for (SimulatedProcess process : simulation.processes()) {
            assertThat(process.audit.mistakes())
                    .as("files that %s moved without reason", process)
                    .isZero();
            takenOver += process.audit.takenOver();
            killed += process.isAlive() ? 0 : 1;
        }
        turns += simulatedProcesses.witness.turns();
        simulatedProcesses.assertOnlyTheDeadLeftHelpers();
        simulatedProcesses.assertObtainable();
        simulatedProcesses.assertCleanable();
    }
}
