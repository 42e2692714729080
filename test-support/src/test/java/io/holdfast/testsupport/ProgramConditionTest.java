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
    void runs_where_all_of_them_are_installed() {
        assertThat(evaluate(Set.of(OutsideProgram.NC, OutsideProgram.CURL), "nc").isDisabled())
                .isFalse();
    }

    @Test
    void is_skipped_where_one_is_missing() {
        ConditionEvaluationResult result = evaluate(Set.of(OutsideProgram.CURL), "curl,bash");
        assertThat(result.isDisabled()).isTrue();
        assertThat(result.getReason()).contains("needs nc");
    }

    @Test
    void may_be_a_method() throws NoSuchMethodException {
        ConditionEvaluationResult result =
                ProgramCondition.evaluate(
                        Needy.class.getDeclaredMethod("two"), outsideProgram -> false, Set.of());
        assertThat(result.getReason()).contains("needs script");
    }

    @Test
    void fails_where_a_missing_one_is_required() {
        assertThatThrownBy(() -> evaluate(Set.of(OutsideProgram.CURL), "curl,nc"))
                .hasMessageStartingWith("-Drequire names nc, ");
    }

    @Test
    void fails_where_something_is_required_that_no_test_can_need() {
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
