package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A process suspended for longer than the stale timeout")
class LostHolderPropertyTest {
    private int displaced;

    @Test
    void a_process_suspended_beyond_the_stale_timeout_is_notified_of_its_loss() {
        Seeds.each(1250, this::holds);
        Seeds.assertReached(displaced, 50, "holders displaced");
    }

    private void holds(Simulation simulation) {
        var simulatedProcesses = new SimulatedProcesses(simulation, 6).afterPossibleCrash();
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
                assertThat(libraryProcess.losses())
                        .as("losses of processes that were suspended shortly")
                        .isZero();
            }
            assertThat(libraryProcess.failedAttempts()).as("failed attempts").isEmpty();
            assertThat(libraryProcess.otherFailures()).as("other failures").isEmpty();
        }
        displaced += sleeper.losses();
        simulatedProcesses.assertOnlyTheDeadLeftHelpers();
        simulatedProcesses.assertObtainable();
    }
}
