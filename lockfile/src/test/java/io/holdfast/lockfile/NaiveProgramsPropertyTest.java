package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Such programs can cause two holders at once. The processes with this library do not, and are
 * notified of each loss.
 */
@DisplayName("Coexistence with programs that remove or overwrite locks of others")
class NaiveProgramsPropertyTest {
    private int overlaps;
    private int displaced;
    private int putBack;

    @Test
    void displaced_holders_are_notified_and_fresh_locks_are_not_removed() {
        Seeds.each(750, simulation -> holds(crowd(simulation).members(3).naive(2)));
        Seeds.assertReached(overlaps, 15, "overlaps");
        Seeds.assertReached(displaced, 10, "displaced holders");
        Seeds.assertReached(putBack, 1, "files put back");
    }

    @Test
    void displaced_holders_are_notified_beside_scripts_of_three_echo_commands() {
        Seeds.each(500, simulation -> holds(crowd(simulation).members(3).echo(2)));
        Seeds.assertReached(overlaps, 15, "overlaps");
        Seeds.assertReached(displaced, 10, "displaced holders");
    }

    @Test
    void displaced_holders_are_notified_beside_all_such_programs_and_deletions() {
        Seeds.each(
                500,
                simulation -> {
                    var simulatedProcesses =
                            crowd(simulation).members(3).polite(1).naive(1).echo(1);
                    simulatedProcesses.others(1, "remover", new Remover(4));
                    simulatedProcesses.others(2, "debris", new DebrisMaker());
                    holds(simulatedProcesses);
                });
        Seeds.assertReached(displaced, 10, "displaced holders");
    }

    @Test
    void displaced_holders_are_notified_without_hard_links() {
        Seeds.each(
                500,
                simulation -> {
                    simulation.withoutHardLinks();
                    var simulatedProcesses = crowd(simulation);
                    simulatedProcesses
                            .members(3)
                            .polite(1)
                            .naive(1)
                            .others(1, "remover", new Remover(6));
                    holds(simulatedProcesses);
                });
        Seeds.assertReached(displaced, 10, "displaced holders");
    }

    private static SimulatedProcesses crowd(Simulation simulation) {
        return new SimulatedProcesses(simulation, 6).afterPossibleCrash();
    }

    private void holds(SimulatedProcesses simulatedProcesses) {
        Simulation simulation = simulatedProcesses.simulation;
        simulation.run(
                new RandomSchedule(simulation)
                        .killing(simulatedProcesses.someKillOdds())
                        .movingClock(5, simulation.oneIn(3)));
        for (LibraryProcess libraryProcess : simulatedProcesses.members) {
            assertThat(libraryProcess.deceived()).as("releases that hid a loss").isZero();
            assertThat(libraryProcess.failedAttempts()).as("failed attempts").isEmpty();
            assertThat(libraryProcess.otherFailures()).as("other failures").isEmpty();
            displaced += libraryProcess.displaced();
        }
        simulation.processes().forEach(process -> putBack += process.audit.putBack());
        overlaps += simulatedProcesses.witness.overlaps().size();
        if (!simulatedProcesses.isForeign()) {
            simulatedProcesses.assertObtainable();
        }
    }
}
