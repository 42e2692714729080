package io.holdfast.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;

import java.util.Set;

@DisplayName("A test that needs programs")
class ProgramConditionTest {
    private static ConditionEvaluationResult evaluate(
            Set<OutsideProgram> present, String required) {
        return ProgramCondition.evaluate(
                Needy.class, present::contains, ProgramCondition.required(required));
    }

    @Test
    void a_test_runs_if_all_its_programs_are_installed() {
        assertThat(evaluate(Set.of(OutsideProgram.NC, OutsideProgram.CURL), "nc").isDisabled())
                .isFalse();
    }

    @Test
    void a_test_is_skipped_if_one_of_its_programs_is_missing() {
        ConditionEvaluationResult result = evaluate(Set.of(OutsideProgram.CURL), "curl,bash");
        assertThat(result.isDisabled()).isTrue();
        assertThat(result.getReason()).contains("needs nc");
    }

    @Test
    void a_test_method_may_need_a_program_of_its_own() throws NoSuchMethodException {
        ConditionEvaluationResult result =
                ProgramCondition.evaluate(
                        Needy.class.getDeclaredMethod("two"), outsideProgram -> false, Set.of());
        assertThat(result.getReason()).contains("needs script");
    }

    @Test
    void a_test_fails_if_a_missing_program_is_required() {
        assertThatThrownBy(() -> evaluate(Set.of(OutsideProgram.CURL), "curl,nc"))
                .hasMessageStartingWith("-Drequire names nc, ");
    }

    @Test
    void requiring_an_unknown_program_is_an_error() {
        assertThatThrownBy(() -> evaluate(Set.of(), "nc,chromimum"))
                .hasMessageContaining("'chromimum'")
                .hasMessageContaining("chromium and curl");
    }

    @NeedsProgram({OutsideProgram.NC, OutsideProgram.CURL})
    private static final class Needy {
        @Test
        @NeedsProgram(OutsideProgram.SCRIPT)
        void two() {}
    }
}
