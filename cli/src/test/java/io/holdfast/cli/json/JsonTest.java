package io.holdfast.cli.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

@DisplayName("The JSON reader")
class JsonTest {
    @Test
    void reads_every_kind_of_value() {
        var text = " { \"a\" : [ 1 , -2.5e-07 , true , null , \"x\" , { } , [ ] ] } ";
        assertThat(Json.parse(text))
                .isEqualTo(
                        new Json.Fields(
                                Map.of(
                                        "a",
                                        new Json.Items(
                                                List.of(
                                                        new Json.Numeral(1),
                                                        new Json.Numeral(-2.5e-07),
                                                        new Json.Word("true"),
                                                        new Json.Word("null"),
                                                        new Json.Text("x"),
                                                        new Json.Fields(Map.of()),
                                                        new Json.Items(List.of()))))));
    }

    @Test
    void undoes_escapes() {
        assertThat(Json.parse("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u003e\\u00e9é\""))
                .isEqualTo(new Json.Text("a\"\\/\b\f\n\r\t>éé"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"a\"}",
                "{\"a\":}",
                "[1,]",
                "[1",
                "\"a",
                "\"\\x\"",
                "\"\\u12\"",
                "\"\\u12g4\"",
                "nul",
                "1 2",
                "{}x",
                "-",
                "1e",
                "'a'"
            })
    void refuses_what_is_not_json(String text) {
        assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refuses_endless_nesting() {
        assertThatThrownBy(() -> Json.parse("[".repeat(100_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("deep");
    }
}
