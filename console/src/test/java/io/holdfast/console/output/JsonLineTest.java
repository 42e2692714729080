package io.holdfast.console.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A line of JSON")
class JsonLineTest {
    @Test
    void members_are_written_in_order() {
        assertThat(
                        new JsonLine()
                                .put("text", "x")
                                .put("number", 18L)
                                .put("yes", true)
                                .put("inner", new JsonLine().put("a", 1L))
                                .put("empty", new JsonLine()))
                .hasToString(
                        "{\"text\":\"x\",\"number\":18,\"yes\":true,\"inner\":{\"a\":1},\"empty\":{}}");
    }

    @Test
    void missing_values_are_null() {
        assertThat(
                        new JsonLine()
                                .put("text", (String) null)
                                .put("number", (Long) null)
                                .put("inner", (JsonLine) null))
                .hasToString("{\"text\":null,\"number\":null,\"inner\":null}");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\0',
            value = {
                "22,\\\"",
                "5c,\\\\",
                "2f,/",
                "27,'",
                "0,\\u0000",
                "8,\\u0008",
                "9,\\t",
                "a,\\n",
                "d,\\r",
                "1b,\\u001b",
                "7f,\\u007f",
                "85,\\u0085",
                "e4,ä",
                "2028,\\u2028",
                "2029,\\u2029",
                "d800,\\ud800",
                "dfff,\\udfff",
                "fffd,\ufffd",
                "1f512,🔒"
            })
    void unsafe_characters_are_escaped(String hex, String expected) {
        String text = new StringBuilder().appendCodePoint(Integer.parseInt(hex, 16)).toString();
        assertThat(new JsonLine().put(text, text))
                .hasToString("{\"" + expected + "\":\"" + expected + "\"}");
    }

    @Test
    void surrogate_pairs_are_kept_and_lone_surrogates_escaped() {
        assertThat(new JsonLine().put("a", "\udd12🔒\ud83d"))
                .hasToString("{\"a\":\"\\udd12🔒\\ud83d\"}");
    }
}
