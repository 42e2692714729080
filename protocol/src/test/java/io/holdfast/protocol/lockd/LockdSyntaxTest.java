package io.holdfast.protocol.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

@DisplayName("A lockd command")
class LockdSyntaxTest {
    private static String parse(String line) {
        return LockdText.describe(LockdSyntax.parse(LockdText.bytes(line)));
    }

    private static String parseUtf8(String line) {
        return parse(LockdText.text(line.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @EnumSource(LockdVerb.class)
    void a_lockd_command_begins_with_a_verb(LockdVerb word) {
        assertThat(parse(word.text())).isEqualTo(word.text() + "|");
        assertThat(parse(word.text() + " x")).isEqualTo(word.text() + "|x");
    }

    @ParameterizedTest
    @CsvSource(
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "g foo,g|foo",
                " g  foo,g|foo",
                "g  two   words ,g|two words",
                "dump  shared ,dump|shared",
                "g ,g|",
                "g a:b [c],g|a:b [c]"
            })
    void the_whitespace_of_a_lockd_argument_is_normalized(String line, String parsed) {
        assertThat(parse(line)).isEqualTo(parsed);
    }

    @Test
    void a_lockd_command_may_end_with_a_carriage_return() {
        assertThat(parse("g foo\r")).isEqualTo("g|foo");
        assertThat(parse("q\r")).isEqualTo("q|");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\r",
                "G foo",
                "stats",
                "dumpshared",
                "g\tfoo",
                "gg",
                "s g",
                "Dump",
                "\u0000",
                "\u007f",
                "\u0080",
                "\u00ff x",
                "x y"
            })
    void a_lockd_command_with_an_unknown_verb_is_invalid(String line) {
        assertThat(parse(line)).isEqualTo("invalid");
    }

    @ParameterizedTest
    @ValueSource(
            chars = {
                '\t', '\n', '\u000b', '\f', '\r', ' ', '\u0085', '\u00a0', '\u1680', '\u2000',
                '\u2001', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007', '\u2008',
                '\u2009', '\u200a', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000'
            })
    void every_whitespace_character_separates_lockd_words(char blank) {
        assertThat(parseUtf8(blank + "g a" + blank + blank + "b" + blank)).isEqualTo("g|a b");
    }

    @ParameterizedTest
    @ValueSource(chars = {'\u001c', '\u001d', '\u001e', '\u001f', '\u180e', '\u200b', '\ufeff'})
    void a_lockd_argument_keeps_all_other_characters(char other) {
        String kept = LockdText.text(("a" + other + "b").getBytes(StandardCharsets.UTF_8));
        assertThat(parseUtf8("g a" + other + "b")).isEqualTo("g|" + kept);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0085", "\u00a0", "\u00ff", "\u00fe", "a\u0000b", "\u00e2\u0080"})
    void a_lockd_argument_keeps_invalid_utf8(String bytes) {
        assertThat(parse("g x" + bytes + "y")).isEqualTo("g|x" + bytes + "y");
    }

    @Test
    void the_verb_of_a_lockd_command_ends_at_a_space_only() {
        assertThat(parseUtf8("g\u00a0x")).isEqualTo("invalid");
        assertThat(parseUtf8("g \u00a0x")).isEqualTo("g|x");
    }
}
