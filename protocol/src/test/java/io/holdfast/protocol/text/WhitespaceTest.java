package io.holdfast.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

@DisplayName("Trimming whitespace")
class WhitespaceTest {
    @Test
    void trimming_keeps_what_is_inside() {
        assertThat(
                        Whitespace.trim(
                                utf8(
                                        " \t\r\n"
                                                + "\u000b\f\u0085\u00a0\u1680a \u3000 b\u2000\u2028"
                                                + " \u205f")))
                .isEqualTo(utf8("a \u3000 b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n", "\r\n", " \u3000\u00a0 ", "\u2000"})
    void trimming_only_whitespace_gives_nothing(String blanks) {
        assertThat(Whitespace.trim(utf8(blanks))).isEmpty();
    }

    @Test
    void trimming_does_not_change_its_argument() {
        byte[] given = utf8(" a ");
        assertThat(Whitespace.trim(given)).isEqualTo(utf8("a"));
        assertThat(given).isEqualTo(utf8(" a "));
    }

    /** The last bytes of a whitespace character belong to the text if its first byte does. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0080\u0080",
                "\u00a0",
                "\u00e2\u0080",
                "\u00c2",
                "x\u00c3\u00a0",
                "\u00e4\u0080\u0080"
            })
    void trimming_does_not_split_a_character(String bytes) {
        assertThat(Whitespace.trim(raw(" " + bytes + " "))).isEqualTo(raw(bytes));
    }

    private static byte[] raw(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
