package io.holdfast.cli.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

@DisplayName("What the processes of a lock file say")
class LockFileLogCheckerTest {
    private final LockFileLogChecker tally = new LockFileLogChecker();

    private void say(String... lines) {
        List.of(lines).forEach(tally::add);
    }

    private static void assertFault(ThrowingCallable check, String words) {
        assertThatThrownBy(check)
                .isInstanceOf(CheckFailedException.class)
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"E ours1 1", "L ours1 1 77", "K exclusive3", "X ours1 12"})
    void is_read_as_it_was_written(String line) {
        assertThat(LockFileLine.parse(line)).extracting(LockFileLine::text).isEqualTo(line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "E", "E ours1", "E ours1 x", "L ours1 1", "?", "X ours1"})
    void is_a_fault_if_it_means_nothing(String line) {
        say(line);
        assertFault(tally::checkAlone, "a line of the log is \"" + line + "\"");
    }

    @Test
    void is_right_as_long_as_one_enters_after_the_other_has_left() {
        say("E ours1 1", "L ours1 1 1", "E exclusive2 1", "L exclusive2 1 2", "E ours1 2");
        assertThatCode(tally::checkAlone).doesNotThrowAnyException();
        assertThat(tally.turns()).isEqualTo(3);
        assertThat(tally.inside()).containsExactly("ours1");
        assertThat(tally.seen()).containsExactlyInAnyOrder("ours1", "exclusive2");
    }

    @Test
    void is_an_overlap_if_one_enters_while_another_is_inside() {
        say("E ours1 1", "E exclusive2 4");
        assertFault(tally::checkAlone, "exclusive2 in turn 4 entered beside [ours1 in turn 1]");
        assertThat(tally.overlaps()).isEqualTo(1);
    }

    @Test
    void is_no_overlap_if_who_was_inside_was_killed() {
        say("E ours1 1", "K ours1", "E ours2 1", "L ours2 1 1", "K ours2");
        assertThatCode(tally::checkAlone).doesNotThrowAnyException();
        assertThat(tally.kills()).isEqualTo(2);
        assertThat(tally.killsInside()).isEqualTo(1);
    }

    @Test
    void is_a_fault_if_one_leaves_that_had_not_entered() {
        say("E ours1 1", "L ours1 2 1");
        assertFault(tally::checkAlone, "ours1 in turn 2 left and had not entered");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 3})
    void is_a_lost_update_if_a_number_does_not_follow_the_last(long number) {
        say("E ours1 1", "L ours1 1 1", "E ours2 1", "L ours2 1 " + number);
        assertFault(tally::checkAlone, "ours2 in turn 1 wrote " + number + " after 1");
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 3})
    void may_be_ahead_by_one_for_one_that_was_killed_inside(long number) {
        say("E ours1 1", "L ours1 1 1", "E ours2 1", "K ours2", "E ours3 1");
        say("L ours3 1 " + number);
        assertThatCode(tally::checkAlone).doesNotThrowAnyException();
    }

    @Test
    void is_ahead_for_no_other_reason() {
        say("E ours1 1", "L ours1 1 1", "K ours2", "E ours3 1", "L ours3 1 3");
        assertFault(tally::checkAlone, "ours3 in turn 1 wrote 3 after 1");
    }

    @Test
    void is_a_fault_if_one_that_nobody_displaced_hears_that_it_lost_the_lock() {
        say("E ours1 1", "L ours1 1 1", "X ours1 1");
        assertFault(tally::checkAlone, "ours1 in turn 1 lost the lock");
    }

    @Test
    void must_tell_of_the_loss_of_each_lock_that_was_overwritten() {
        say("E ours1 1", "E overwriting2 1", "L overwriting2 1 1", "L ours1 1 1");
        assertFault(() -> tally.checkDisplacedKnow(0), "[ours1 in turn 1] displaced");
        say("X ours1 1");
        assertThatCode(() -> tally.checkDisplacedKnow(0)).doesNotThrowAnyException();
        assertThat(tally.losses()).isEqualTo(1);
    }

    @Test
    void must_tell_of_the_loss_of_a_lock_that_was_overwritten_before_its_holder_had_entered() {
        say("E overwriting2 1", "E ours1 1");
        assertFault(() -> tally.checkDisplacedKnow(0), "[ours1 in turn 1] displaced");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ours1", "ours3"})
    void must_tell_of_the_loss_of_one_lock_if_two_of_ours_are_inside(String loser) {
        say("E ours1 1", "E ours3 1", "L ours1 1 1", "L ours3 1 1");
        assertFault(() -> tally.checkDisplacedKnow(0), "inside together");
        say("X " + loser + " 1");
        assertThatCode(() -> tally.checkDisplacedKnow(0)).doesNotThrowAnyException();
    }

    @Test
    void need_not_tell_of_a_loss_if_it_was_the_script_that_was_displaced() {
        say("E overwriting2 1", "E ours1 1", "L ours1 1 1");
        assertThatCode(() -> tally.checkDisplacedKnow(1)).doesNotThrowAnyException();
        assertThat(tally.displaced()).isEqualTo(1);
    }
}
