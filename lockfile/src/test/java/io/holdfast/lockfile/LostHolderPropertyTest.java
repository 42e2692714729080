package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A process that is stopped for longer than the stale timeout")
class LostHolderPropertyTest {
    private int robbed;

    @Test
    void learns_that_it_lost_the_lock_and_no_two_others_are_inside() {
        Seeds.each(1250, this::holds);
        Seeds.assertReached(robbed, 50, "holders robbed");
    }

    private void holds(Simulation simulation) {
        var simulatedProcesses = new SimulatedProcesses(simulation, 6).afterSomebodyDied();
        var sleeper = new LibraryProcess(simulatedProcesses.witness, 6).slow();
        SimulatedProcess sleeping = simulatedProcesses.member(sleeper);
        sleeping.mayOversleep();
        simulatedProcesses.members(3).polite(1);
        simulation.tearing(true);
        simulation.run(
                new RandomSchedule(simulation)
                        .killing(simulatedProcesses.someKillOdds())
                        .movingClock(5, false));

        assertThat(simulatedProcesses.witness.overlaps())
                .allMatch(overlap -> overlap.isOf(sleeping));
        assertThat(sleeper.deceived()).as("releases that hid the loss").isZero();
        assertThat(sleeper.unnoticed()).as("overlaps that were not noticed").isZero();
        for (LibraryProcess libraryProcess : simulatedProcesses.members) {
            if (libraryProcess != sleeper) {
                assertThat(libraryProcess.losses()).as("losses of those who slept little").isZero();
            }
            assertThat(libraryProcess.failedAttempts()).as("failed attempts").isEmpty();
            assertThat(libraryProcess.otherFailures()).as("other failures").isEmpty();
        }
        robbed += sleeper.losses();
        simulatedProcesses.assertOnlyTheDeadLeftHelpers();
        simulatedProcesses.assertObtainable();
    }
}
