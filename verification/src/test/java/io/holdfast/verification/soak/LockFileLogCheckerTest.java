package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

@DisplayName("The checker of a lock file log")
class LockFileLogCheckerTest {
    private final LockFileLogChecker checker = new LockFileLogChecker();

    private void add(String... lines) {
        List.of(lines).forEach(checker::add);
    }

    private static void assertFault(ThrowingCallable check, String words) {
        assertThatThrownBy(check)
                .isInstanceOf(CheckFailedException.class)
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"E ours1 1", "L ours1 1 77", "K exclusive3", "X ours1 12"})
    void a_log_line_is_parsed_as_it_was_written(String line) {
        assertThat(LockFileLine.parse(line)).extracting(LockFileLine::text).isEqualTo(line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "E", "E ours1", "E ours1 x", "L ours1 1", "?", "X ours1"})
    void a_malformed_log_line_is_a_fault(String line) {
        add(line);
        assertFault(checker::checkAlone, "a line of the log is \"" + line + "\"");
    }

    @Test
    void turns_one_after_the_other_pass() {
        add("E ours1 1", "L ours1 1 1", "E exclusive2 1", "L exclusive2 1 2", "E ours1 2");
        assertThatCode(checker::checkAlone).doesNotThrowAnyException();
        assertThat(checker.turns()).isEqualTo(3);
        assertThat(checker.inside()).containsExactly("ours1");
        assertThat(checker.seen()).containsExactlyInAnyOrder("ours1", "exclusive2");
    }

    @Test
    void a_turn_that_starts_during_another_is_an_overlap() {
        add("E ours1 1", "E exclusive2 4");
        assertFault(checker::checkAlone, "exclusive2 in turn 4 entered beside [ours1 in turn 1]");
        assertThat(checker.overlaps()).isEqualTo(1);
    }

    @Test
    void a_turn_after_the_kill_of_the_holder_is_no_overlap() {
        add("E ours1 1", "K ours1", "E ours2 1", "L ours2 1 1", "K ours2");
        assertThatCode(checker::checkAlone).doesNotThrowAnyException();
        assertThat(checker.kills()).isEqualTo(2);
        assertThat(checker.killsInside()).isEqualTo(1);
    }

    @Test
    void the_end_of_a_turn_that_did_not_start_is_a_fault() {
        add("E ours1 1", "L ours1 2 1");
        assertFault(checker::checkAlone, "ours1 in turn 2 left and had not entered");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 3})
    void a_number_that_does_not_follow_the_last_is_a_lost_update(long number) {
        add("E ours1 1", "L ours1 1 1", "E ours2 1", "L ours2 1 " + number);
        assertFault(checker::checkAlone, "ours2 in turn 1 wrote " + number + " after 1");
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 3})
    void the_number_may_be_ahead_by_one_for_a_process_killed_inside(long number) {
        add("E ours1 1", "L ours1 1 1", "E ours2 1", "K ours2", "E ours3 1");
        add("L ours3 1 " + number);
        assertThatCode(checker::checkAlone).doesNotThrowAnyException();
    }

    @Test
    void a_number_ahead_without_a_kill_inside_is_a_fault() {
        add("E ours1 1", "L ours1 1 1", "K ours2", "E ours3 1", "L ours3 1 3");
        assertFault(checker::checkAlone, "ours3 in turn 1 wrote 3 after 1");
    }

    @Test
    void a_loss_notification_without_displacement_is_a_fault() {
        add("E ours1 1", "L ours1 1 1", "X ours1 1");
        assertFault(checker::checkAlone, "ours1 in turn 1 lost the lock");
    }

    @Test
    void each_overwritten_lock_needs_a_loss_notification() {
        add("E ours1 1", "E overwriting2 1", "L overwriting2 1 1", "L ours1 1 1");
        assertFault(() -> checker.checkLossesReported(0), "[ours1 in turn 1] displaced");
        add("X ours1 1");
        assertThatCode(() -> checker.checkLossesReported(0)).doesNotThrowAnyException();
        assertThat(checker.losses()).isEqualTo(1);
    }

    @Test
    void a_lock_overwritten_before_its_holder_entered_needs_a_loss_notification() {
        add("E overwriting2 1", "E ours1 1");
        assertFault(() -> checker.checkLossesReported(0), "[ours1 in turn 1] displaced");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ours1", "ours3"})
    void one_of_two_library_processes_inside_needs_a_loss_notification(String loser) {
        add("E ours1 1", "E ours3 1", "L ours1 1 1", "L ours3 1 1");
        assertFault(() -> checker.checkLossesReported(0), "inside together");
        add("X " + loser + " 1");
        assertThatCode(() -> checker.checkLossesReported(0)).doesNotThrowAnyException();
    }

    @Test
    void no_loss_notification_is_needed_if_the_script_was_displaced() {
        add("E overwriting2 1", "E ours1 1", "L ours1 1 1");
        assertThatCode(() -> checker.checkLossesReported(1)).doesNotThrowAnyException();
        assertThat(checker.displaced()).isEqualTo(1);
    }
}
