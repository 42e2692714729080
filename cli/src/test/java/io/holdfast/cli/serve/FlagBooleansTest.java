package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A switch")
class FlagBooleansTest {
    @ParameterizedTest
    @ValueSource(strings = {"1", "yes", "true", "YES", "Yes", "TRUE", "True", "tRuE"})
    void is_turned_on_by(String text) {
        assertThat(FlagBooleans.parse(text)).contains(true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "no", "false", "NO", "No", "FALSE", "False"})
    void is_turned_off_by(String text) {
        assertThat(FlagBooleans.parse(text)).contains(false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "2", "t", "f", "y", "n", "on", "off", "maybe", " true", "00"})
    void is_left_alone_by(String text) {
        assertThat(FlagBooleans.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "t", "T", "true", "TRUE", "True"})
    void of_a_go_program_is_turned_on_by(String text) {
        assertThat(FlagBooleans.parseGoFlag(text)).contains(true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "f", "F", "false", "FALSE", "False"})
    void of_a_go_program_is_turned_off_by(String text) {
        assertThat(FlagBooleans.parseGoFlag(text)).contains(false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yes", "no", "tRUE", "on", "2"})
    void of_a_go_program_is_left_alone_by(String text) {
        assertThat(FlagBooleans.parseGoFlag(text)).isEmpty();
    }
}
