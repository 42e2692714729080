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

@DisplayName("Flags as Go programs read them")
class GoFlagsTest {
    /** There are --port and --host, which take a value, and --debug, which is a switch. */
    private static Map<String, String> parse(String... words) throws FlagException {
        Map<String, Boolean> known = Map.of("port", false, "host", false, "debug", true);
        return GoFlags.parse(List.of(words), known::get);
    }

    @Test
    void begin_with_one_dash_or_two() throws FlagException {
        assertThat(parse("-port", "1", "--host", "h", "-debug"))
                .containsExactly(entry("port", "1"), entry("host", "h"), entry("debug", "true"));
        assertThat(parse("--debug")).containsExactly(entry("debug", "true"));
    }

    @Test
    void have_their_value_behind_a_blank_or_an_equals_sign() throws FlagException {
        assertThat(parse("--port", "1")).containsExactly(entry("port", "1"));
        assertThat(parse("--port=1")).containsExactly(entry("port", "1"));
        assertThat(parse("-port=1")).containsExactly(entry("port", "1"));
    }

    @Test
    void take_anything_for_a_value() throws FlagException {
        assertThat(parse("--host", "-1")).containsExactly(entry("host", "-1"));
        assertThat(parse("--host", "--port")).containsExactly(entry("host", "--port"));
        assertThat(parse("--host", "")).containsExactly(entry("host", ""));
        assertThat(parse("--host=")).containsExactly(entry("host", ""));
        assertThat(parse("--host=a=b")).containsExactly(entry("host", "a=b"));
        assertThat(parse("--host=--port")).containsExactly(entry("host", "--port"));
    }

    @Test
    void that_are_switches_take_a_value_only_behind_an_equals_sign() throws FlagException {
        assertThat(parse("--debug=false")).containsExactly(entry("debug", "false"));
        assertThat(parse("--debug", "false", "--port", "1"))
                .as("a separate word ends the flags")
                .containsExactly(entry("debug", "true"));
    }

    @Test
    void end_at_the_first_word_that_is_none() throws FlagException {
        assertThat(parse("--port", "1", "word", "--nope")).containsExactly(entry("port", "1"));
        assertThat(parse("--port", "1", "-", "--nope")).containsExactly(entry("port", "1"));
        assertThat(parse("--port", "1", "--", "--nope")).containsExactly(entry("port", "1"));
        assertThat(parse("--port", "1", "", "--nope")).containsExactly(entry("port", "1"));
        assertThat(parse()).isEmpty();
    }

    @Test
    void count_as_they_were_given_last() throws FlagException {
        assertThat(parse("--port", "1", "--debug", "-port=2", "--debug=false"))
                .containsOnly(entry("port", "2"), entry("debug", "false"));
    }

    @ParameterizedTest
    @CsvSource({"--nope,-nope", "-nope,-nope", "--nope=1,-nope", "--Port,-Port", "-p,-p"})
    void must_be_known(String word, String name) {
        assertThatThrownBy(() -> parse(word, "1"))
                .isInstanceOf(FlagException.class)
                .hasMessage("flag provided but not defined: " + name);
    }

    @Test
    void need_their_value() {
        assertThatThrownBy(() -> parse("--debug", "--port"))
                .isInstanceOf(FlagException.class)
                .hasMessage("flag needs an argument: -port");
    }

    @ParameterizedTest
    @ValueSource(strings = {"---port", "--=1", "-=1", "----", "---"})
    void need_a_name(String word) {
        assertThatThrownBy(() -> parse(word))
                .isInstanceOf(FlagException.class)
                .hasMessage("bad flag syntax: " + word);
    }
}
