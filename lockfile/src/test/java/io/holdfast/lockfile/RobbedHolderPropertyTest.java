package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A process that is stopped for longer than the stale timeout")
class RobbedHolderPropertyTest {
    private int robbed;

    @Test
    void learns_that_it_lost_the_lock_and_no_two_others_are_inside() {
        Seeds.each(1250, this::holds);
        Seeds.assertReached(robbed, 50, "holders robbed");
    }

    private void holds(Simulation simulation) {
        var crowd = new Crowd(simulation, 6).afterSomebodyDied();
        var sleeper = new Member(crowd.witness, 6).slow();
        SimulatedProcess sleeping = crowd.member(sleeper);
        sleeping.mayOversleep();
        crowd.members(3).polite(1);
        simulation.tearing(true);
        simulation.run(
                new RandomSchedule(simulation).killing(crowd.someKillOdds()).movingClock(5, false));

        assertThat(crowd.witness.overlaps()).allMatch(overlap -> overlap.isOf(sleeping));
        assertThat(sleeper.deceived()).as("releases that hid the loss").isZero();
        assertThat(sleeper.unnoticed()).as("overlaps that were not noticed").isZero();
        for (Member member : crowd.members) {
            if (member != sleeper) {
                assertThat(member.losses()).as("losses of those who slept little").isZero();
            }
            assertThat(member.failedAttempts()).as("failed attempts").isEmpty();
            assertThat(member.otherFailures()).as("other failures").isEmpty();
        }
        robbed += sleeper.losses();
        crowd.assertOnlyTheDeadLeftHelpers();
        crowd.assertObtainable();
    }
}
