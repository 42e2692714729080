package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Text on a terminal")
class TerminalTextTest {
    @Test
    void control_characters_are_escaped() {
        assertThat(TerminalText.escaped("a\u001b[31m\tb\u009b\u202e\u2028"))
                .isEqualTo("a\\u001b[31m\\u0009b\\u009b\\u202e\\u2028");
        assertThat(TerminalText.escaped("\ud800")).isEqualTo("\\ud800");
        assertThat(TerminalText.escaped("grün 鍵 🔒")).isEqualTo("grün 鍵 🔒");
    }

    @ParameterizedTest
    @CsvSource({"abc,3", "鍵,2", "🔒,2", "e\u0301,1", "'',0"})
    void the_width_is_counted_in_cells(String text, int width) {
        assertThat(TerminalText.width(text)).isEqualTo(width);
    }

    @ParameterizedTest
    @CsvSource({"abcdef,6,abcdef", "abcdef,4,abc…", "鍵鍵鍵,4,鍵…", "abc,1,…", "abc,0,''"})
    void text_is_cut_to_the_width(String text, int max, String cut) {
        assertThat(TerminalText.cut(text, max)).isEqualTo(cut);
        assertThat(TerminalText.width(TerminalText.cut(text, max))).isLessThanOrEqualTo(max);
    }

    @Test
    void text_is_aligned_left_or_right() {
        assertThat(TerminalText.fit("ab", 4, false)).isEqualTo("ab  ");
        assertThat(TerminalText.fit("ab", 4, true)).isEqualTo("  ab");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0.0s",
        "-1,0.0s",
        "1.24,1.2s",
        "45.9,45s",
        "725,12m05s",
        "11220,3h07m",
        "187200,2d04h"
    })
    void durations_are_formatted_briefly(double seconds, String text) {
        assertThat(DurationFormatter.text(seconds)).isEqualTo(text);
    }
}
