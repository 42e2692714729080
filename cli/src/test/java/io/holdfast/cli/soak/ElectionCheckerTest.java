package io.holdfast.cli.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What the processes of an election tell")
class ElectionCheckerTest {
    private final ElectionChecker tally = new ElectionChecker();

    private void tell(String name, String... lines) {
        for (var line : lines) {
            tally.add(name, ElectionLine.parse(line));
        }
    }

    private void assertFault(String words) {
        assertThatThrownBy(tally::check)
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
    void is_read_as_it_was_written(String line) {
        assertThat(ElectionLine.parse(line).text())
                .isEqualTo(line.replace("failed ", "failed failed "));
    }

    @Test
    void a_line_of_something_else_is_a_fault() {
        tell("a", "wrote 3 100");
        assertFault("a: wrote 3 100");
    }

    @Test
    void the_same_number_twice_is_a_lost_update() {
        tell("a", "wrote 1 0 0", "wrote 2 0 0");
        tell("b", "wrote 2 0 0");
        assertFault("b lost an update: 2");
    }

    @Test
    void a_counter_may_be_ahead_by_one_for_each_that_was_killed() throws CheckFailedException {
        tell("a", "wrote 1 0 0", "wrote 3 0 0");
        tally.willKill("b");
        tally.checkCounter(3);
        assertThatThrownBy(() -> tally.checkCounter(4))
                .hasMessageContaining("counter is 4 after 2");
        assertThatThrownBy(() -> tally.checkCounter(2))
                .hasMessageContaining("counter is 2 after 2");
    }

    @Test
    void only_the_killed_may_be_met() {
        tally.willKill("b");
        tell("a", "met b");
        assertThatCode(tally::check).doesNotThrowAnyException();
        tell("a", "met c");
        assertFault("a was inside together with c");
        assertThat(tally.overlaps()).isEqualTo(1);
    }

    @Test
    void a_primary_that_lives_has_none_beside_it() {
        tell("a", "serves true");
        tally.willKill("a");
        tell("b", "serves true", "serves false");
        tell("c", "serves true");
        assertThatCode(tally::check).doesNotThrowAnyException();
        tell("d", "serves true");
        assertFault("d became the primary beside c");
    }

    @Test
    void a_lock_that_is_lost_is_a_fault() {
        tell("a", "lost");
        assertFault("a lost its lock");
    }

    @Test
    void progress_is_a_lock_that_was_asked_for_after_the_kill() {
        tally.primaryIsGone(1000);
        tell("a", "read 900 1100");
        assertThat(tally.slowestMicros()).isZero();
        tell("b", "wrote 1 1001 1500", "read 1600 9000");
        assertThat(tally.slowestMicros()).isEqualTo(500);
        assertThat(tally.grants()).isEqualTo(3);
        assertThat(tally.increments()).isEqualTo(1);
    }
}
