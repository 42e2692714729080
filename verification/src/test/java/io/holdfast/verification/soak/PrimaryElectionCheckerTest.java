package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The checker of an election run")
class PrimaryElectionCheckerTest {
    private final PrimaryElectionChecker checker = new PrimaryElectionChecker();

    private void report(String name, String... lines) {
        for (var line : lines) {
            checker.add(name, PrimaryElectionLine.parse(line));
        }
    }

    private void assertFault(String words) {
        assertThatThrownBy(checker::check)
                .isInstanceOf(CheckFailedException.class)
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "serves true",
                "serves false",
                "wrote 3 100 200",
                "read 100 200",
                "met worker2",
                "lost",
                "failed some words"
            })
    void a_report_is_parsed_as_it_was_written(String line) {
        assertThat(PrimaryElectionLine.parse(line).text())
                .isEqualTo(line.replace("failed ", "failed failed "));
    }

    @Test
    void a_line_of_another_form_is_a_fault() {
        report("a", "wrote 3 100");
        assertFault("a: wrote 3 100");
    }

    @Test
    void the_same_number_twice_is_a_lost_update() {
        report("a", "wrote 1 0 0", "wrote 2 0 0");
        report("b", "wrote 2 0 0");
        assertFault("b lost an update: 2");
    }

    @Test
    void the_counter_may_be_ahead_by_one_for_each_killed_process() throws CheckFailedException {
        report("a", "wrote 1 0 0", "wrote 3 0 0");
        checker.willKill("b");
        checker.checkCounter(3);
        assertThatThrownBy(() -> checker.checkCounter(4))
                .hasMessageContaining("counter is 4 after 2");
        assertThatThrownBy(() -> checker.checkCounter(2))
                .hasMessageContaining("counter is 2 after 2");
    }

    @Test
    void only_killed_processes_may_have_left_a_marker_file() {
        checker.willKill("b");
        report("a", "met b");
        assertThatCode(checker::check).doesNotThrowAnyException();
        report("a", "met c");
        assertFault("a was inside together with c");
        assertThat(checker.overlaps()).isEqualTo(1);
    }

    @Test
    void two_live_primaries_at_once_are_a_fault() {
        report("a", "serves true");
        checker.willKill("a");
        report("b", "serves true", "serves false");
        report("c", "serves true");
        assertThatCode(checker::check).doesNotThrowAnyException();
        report("d", "serves true");
        assertFault("d became the primary beside c");
    }

    @Test
    void a_lost_lock_is_a_fault() {
        report("a", "lost");
        assertFault("a lost its lock");
    }

    @Test
    void progress_is_the_grant_of_a_lock_requested_after_the_kill() {
        checker.primaryIsGone(1000);
        report("a", "read 900 1100");
        assertThat(checker.slowestMicros()).isZero();
        report("b", "wrote 1 1001 1500", "read 1600 9000");
        assertThat(checker.slowestMicros()).isEqualTo(500);
        assertThat(checker.grants()).isEqualTo(3);
        assertThat(checker.increments()).isEqualTo(1);
    }
}
