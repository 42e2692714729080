package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.holdfast.cli.serve.GoFlags.FlagException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

@DisplayName("Go-style flags")
class GoFlagsTest {
    /** The known flags: --port and --host with a value, and the switch --debug. */
    private static Map<String, String> parse(String... args) throws FlagException {
        Map<String, Boolean> known = Map.of("port", false, "host", false, "debug", true);
        return GoFlags.parse(List.of(args), known::get);
    }

    @Test
    void flags_begin_with_one_dash_or_two() throws FlagException {
        assertThat(parse("-port", "1", "--host", "h", "-debug"))
                .containsExactly(entry("port", "1"), entry("host", "h"), entry("debug", "true"));
        assertThat(parse("--debug")).containsExactly(entry("debug", "true"));
    }

    @Test
    void values_follow_as_next_argument_or_after_an_equals_sign() throws FlagException {
        assertThat(parse("--port", "1")).containsExactly(entry("port", "1"));
        assertThat(parse("--port=1")).containsExactly(entry("port", "1"));
        assertThat(parse("-port=1")).containsExactly(entry("port", "1"));
    }

    @Test
    void any_next_argument_is_a_value() throws FlagException {
        assertThat(parse("--host", "-1")).containsExactly(entry("host", "-1"));
        assertThat(parse("--host", "--port")).containsExactly(entry("host", "--port"));
        assertThat(parse("--host", "")).containsExactly(entry("host", ""));
        assertThat(parse("--host=")).containsExactly(entry("host", ""));
        assertThat(parse("--host=a=b")).containsExactly(entry("host", "a=b"));
        assertThat(parse("--host=--port")).containsExactly(entry("host", "--port"));
    }

    @Test
    void switches_take_a_value_only_after_an_equals_sign() throws FlagException {
        assertThat(parse("--debug=false")).containsExactly(entry("debug", "false"));
        assertThat(parse("--debug", "false", "--port", "1"))
                .as("a separate word ends the flags")
                .containsExactly(entry("debug", "true"));
    }

    @Test
    void parsing_ends_at_the_first_argument_that_is_not_a_flag() throws FlagException {
        assertThat(parse("--port", "1", "word", "--nope")).containsExactly(entry("port", "1"));
        assertThat(parse("--port", "1", "-", "--nope")).containsExactly(entry("port", "1"));
        assertThat(parse("--port", "1", "--", "--nope")).containsExactly(entry("port", "1"));
        assertThat(parse("--port", "1", "", "--nope")).containsExactly(entry("port", "1"));
        assertThat(parse()).isEmpty();
    }

    @Test
    void the_last_value_of_a_repeated_flag_is_used() throws FlagException {
        assertThat(parse("--port", "1", "--debug", "-port=2", "--debug=false"))
                .containsOnly(entry("port", "2"), entry("debug", "false"));
    }

    @ParameterizedTest
    @CsvSource({"--nope,-nope", "-nope,-nope", "--nope=1,-nope", "--Port,-Port", "-p,-p"})
    void unknown_flags_are_rejected(String arg, String name) {
        assertThatThrownBy(() -> parse(arg, "1"))
                .isInstanceOf(FlagException.class)
                .hasMessage("flag provided but not defined: " + name);
    }

    @Test
    void a_flag_without_its_value_is_rejected() {
        assertThatThrownBy(() -> parse("--debug", "--port"))
                .isInstanceOf(FlagException.class)
                .hasMessage("flag needs an argument: -port");
    }

    @ParameterizedTest
    @ValueSource(strings = {"---port", "--=1", "-=1", "----", "---"})
    void a_flag_without_a_name_is_rejected(String arg) {
        assertThatThrownBy(() -> parse(arg))
                .isInstanceOf(FlagException.class)
                .hasMessage("bad flag syntax: " + arg);
    }
}
