package io.holdfast.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A process group")
class ProcessGroupTest {
    @ParameterizedTest
    @CsvSource({
        "'12 (java) S 10 12 5 34816 12 4194304 1 2', true",
        "'12 (java) S 10 12 5 34816 99 4194304 1 2', false",
        "'12 (java) S 10 12 5 0 -1 4194304 1 2', false",
        "'12 (a) S 1 2 (b) c) S 10 12 5 34816 12 4194304 1 2', true",
        "'12 (a) S 1 2 (b) c) S 10 12 5 34816 13 4194304 1 2', false",
        "'nothing of the kind', true",
        "'', true"
    })
    void a_process_group_is_in_the_foreground_if_it_is_the_group_of_the_terminal(
            String stat, boolean expected) {
        assertThat(ProcessGroup.isInForeground(stat)).isEqualTo(expected);
    }
}
