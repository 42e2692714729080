package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A switch")
class FlagBooleansTest {
    @ParameterizedTest
    @ValueSource(strings = {"1", "yes", "true", "YES", "Yes", "TRUE", "True", "tRuE"})
    void one_yes_and_true_in_any_case_are_true(String text) {
        assertThat(FlagBooleans.parse(text)).contains(true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "no", "false", "NO", "No", "FALSE", "False"})
    void zero_no_and_false_in_any_case_are_false(String text) {
        assertThat(FlagBooleans.parse(text)).contains(false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "2", "t", "f", "y", "n", "on", "off", "maybe", " true", "00"})
    void other_texts_are_not_booleans(String text) {
        assertThat(FlagBooleans.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "t", "T", "true", "TRUE", "True"})
    void one_t_and_true_are_true_for_go_flags(String text) {
        assertThat(FlagBooleans.parseGoFlag(text)).contains(true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "f", "F", "false", "FALSE", "False"})
    void zero_f_and_false_are_false_for_go_flags(String text) {
        assertThat(FlagBooleans.parseGoFlag(text)).contains(false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yes", "no", "tRUE", "on", "2"})
    void other_texts_are_not_booleans_for_go_flags(String text) {
        assertThat(FlagBooleans.parseGoFlag(text)).isEmpty();
    }
}
