package io.holdfast.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

@DisplayName("JSON")
class JsonTextTest {
    private static String json(String text) {
        return json(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String json(byte[] bytes) {
        ByteBuf out = Unpooled.buffer();
        JsonText.write(bytes, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    /** One byte for each character. */
    private static byte[] raw(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Nested
    @DisplayName("strings")
    class Strings {
        @Test
        void strings_are_quoted() {
            assertThat(json("")).isEqualTo("\"\"");
            assertThat(json("printer-1")).isEqualTo("\"printer-1\"");
        }

        @Test
        void strings_have_escaped_quotes_and_backslashes() {
            assertThat(json("a\"b\\c")).isEqualTo("\"a\\\"b\\\\c\"");
        }

        @Test
        void strings_have_short_escapes_where_json_defines_one() {
            assertThat(json("\b\f\n\r\t")).isEqualTo("\"\\b\\f\\n\\r\\t\"");
        }

        @Test
        void strings_have_unicode_escapes_for_all_other_control_bytes() {
            for (int c = 0; c < 0x20; c++) {
                if ("\b\f\n\r\t".indexOf(c) < 0) {
                    assertThat(json(new byte[] {(byte) c})).isEqualTo("\"\\u%04x\"".formatted(c));
                }
            }
        }

        @Test
        void strings_are_safe_inside_html() {
            assertThat(json("</script>&")).isEqualTo("\"\\u003c/script\\u003e\\u0026\"");
        }

        @Test
        void strings_are_safe_inside_javascript() {
            assertThat(json("a\u2028b\u2029c")).isEqualTo("\"a\\u2028b\\u2029c\"");
        }

        @Test
        void strings_keep_the_neighbours_of_escaped_characters() {
            assertThat(json("\u2027\u202a\u2128\u3028 !#%'=?[]~\u007f"))
                    .isEqualTo("\"\u2027\u202a\u2128\u3028 !#%'=?[]~\u007f\"");
        }

        @Test
        void strings_keep_every_other_character() {
            String text =
                    "\u00e9\u20ac\ud83d\ude00\ud7ff\ue000\ufffd\uffff\udbff\udfff\u0080\u07ff\u0800";
            assertThat(json(text)).isEqualTo("\"" + text + "\"");
        }

        @ParameterizedTest
        @CsvSource({
            "\u0080,1", // a continuation byte without a start
            "\u00bf,1",
            "\u00ff,1",
            "\u00fe,1",
            "\u00c0\u00af,2", // overlong forms
            "\u00c1\u00bf,2",
            "\u00e0\u0080\u00af,3",
            "\u00e0\u009f\u00bf,3",
            "\u00f0\u0080\u0080\u00af,4",
            "\u00f0\u008f\u00bf\u00bf,4",
            "\u00ed\u00a0\u0080,3", // surrogates
            "\u00ed\u00bf\u00bf,3",
            "\u00f4\u0090\u0080\u0080,4", // above U+10FFFF
            "\u00f5\u0080\u0080\u0080,4",
            "\u00f8\u0088\u0080\u0080\u0080,5",
            "\u00c3,1", // cut off
            "\u00e2\u0082,2",
            "\u00f0\u009f\u0098,3",
            "\u00e2\u00e2\u0082,3"
        })
        void strings_have_a_replacement_for_each_invalid_byte(String bytes, int count) {
            assertThat(json(raw(bytes))).isEqualTo("\"" + "\\ufffd".repeat(count) + "\"");
            assertThat(json(raw("a" + bytes + "z")))
                    .isEqualTo("\"a" + "\\ufffd".repeat(count) + "z\"");
        }

        @Test
        void valid_characters_after_an_invalid_byte_are_kept() {
            assertThat(json(raw("\u00e2\u0082\u00c3\u00a9"))).isEqualTo("\"\\ufffd\\ufffd\u00e9\"");
            assertThat(json(raw("\u00e2\""))).isEqualTo("\"\\ufffd\\\"\"");
        }

        @Test
        void strings_agree_with_the_jdk_on_every_pair_of_bytes() {
            for (int i = 0; i < 0x10000; i++) {
                byte[] bytes = {(byte) (i >> 8), (byte) i};
                boolean valid = !new String(bytes, StandardCharsets.UTF_8).contains("\ufffd");
                assertThat(json(bytes).contains("\\ufffd")).as("%04x", i).isEqualTo(!valid);
            }
        }
    }

    @Nested
    @DisplayName("seconds")
    class Seconds {
        private String seconds(long nanos) {
            ByteBuf out = Unpooled.buffer();
            JsonText.writeSeconds(nanos, out);
            return out.toString(StandardCharsets.US_ASCII);
        }

        @ParameterizedTest
        @CsvSource({
            "0,0",
            "1,0.000000001",
            "10,0.00000001",
            "100000000,0.1",
            "120000000,0.12",
            "999999999,0.999999999",
            "1000000000,1",
            "1000000001,1.000000001",
            "1500000000,1.5",
            "10020000000,10.02",
            "32999817625,32.999817625",
            "9223372036000000000,9223372036",
            "9223372036854775807,9223372036.854775807"
        })
        void seconds_have_the_digits_they_need(long nanos, String text) {
            assertThat(seconds(nanos)).isEqualTo(text);
        }

        @ParameterizedTest
        @ValueSource(longs = {0, 1, 7, 1_000_000_000L, 123_456_789_012L, Long.MAX_VALUE})
        void seconds_are_valid_json_numbers(long nanos) {
            assertThat(seconds(nanos)).matches("(0|[1-9][0-9]*)(\\.[0-9]+)?");
        }
    }
}
