package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** They can put two inside together. Nobody of ours does, and nobody of ours is deceived. */
@DisplayName("Beside programs that remove or overwrite locks which are not theirs")
class NaiveNeighboursPropertyTest {
    private int overlaps;
    private int displaced;
    private int putBack;

    @Test
    void whoever_was_displaced_learns_it_and_nobody_removes_what_is_fresh() {
        Seeds.each(750, simulation -> holds(crowd(simulation).members(3).naive(2)));
        Seeds.assertReached(overlaps, 15, "overlaps");
        Seeds.assertReached(displaced, 10, "displaced holders");
        Seeds.assertReached(putBack, 1, "files put back");
    }

    @Test
    void the_same_is_true_beside_scripts_of_three_echo_commands() {
        Seeds.each(500, simulation -> holds(crowd(simulation).members(3).echo(2)));
        Seeds.assertReached(overlaps, 15, "overlaps");
        Seeds.assertReached(displaced, 10, "displaced holders");
    }

    @Test
    void the_same_is_true_beside_all_of_them_and_whoever_deletes_files() {
        Seeds.each(
                500,
                simulation -> {
                    var crowd = crowd(simulation).members(3).polite(1).naive(1).echo(1);
                    crowd.others(1, "remover", new Remover(4));
                    crowd.others(2, "debris", new DebrisMaker());
                    holds(crowd);
                });
        Seeds.assertReached(displaced, 10, "displaced holders");
    }

    @Test
    void the_same_is_true_where_files_can_have_no_second_name() {
        Seeds.each(
                500,
                simulation -> {
                    simulation.withoutHardLinks();
                    var crowd = crowd(simulation);
                    crowd.members(3).polite(1).naive(1).others(1, "remover", new Remover(6));
                    holds(crowd);
                });
        Seeds.assertReached(displaced, 10, "displaced holders");
    }

    private static Crowd crowd(Simulation simulation) {
        return new Crowd(simulation, 6).afterSomebodyDied();
    }

    private void holds(Crowd crowd) {
        Simulation simulation = crowd.simulation;
        simulation.run(
                new RandomSchedule(simulation)
                        .killing(crowd.someKillOdds())
                        .movingClock(5, simulation.oneIn(3)));
        for (Member member : crowd.members) {
            assertThat(member.deceived()).as("releases that hid a loss").isZero();
            assertThat(member.failedAttempts()).as("failed attempts").isEmpty();
            assertThat(member.otherFailures()).as("other failures").isEmpty();
            displaced += member.displaced();
        }
        simulation.processes().forEach(process -> putBack += process.audit.putBack());
        overlaps += crowd.witness.overlaps().size();
        if (!crowd.isForeign()) {
            crowd.assertObtainable();
        }
    }
}
