package io.holdfast.console.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

@DisplayName("The JSON reader")
class JsonValueTest {
    @Test
    void every_kind_of_value_is_parsed() {
        var text = " { \"a\" : [ 1 , -2.5e-07 , true , null , \"x\" , { } , [ ] ] } ";
        assertThat(JsonValue.parse(text))
                .isEqualTo(
                        new JsonValue.ObjectValue(
                                Map.of(
                                        "a",
                                        new JsonValue.ArrayValue(
                                                List.of(
                                                        new JsonValue.NumberValue(1),
                                                        new JsonValue.NumberValue(-2.5e-07),
                                                        new JsonValue.Literal("true"),
                                                        new JsonValue.Literal("null"),
                                                        new JsonValue.StringValue("x"),
                                                        new JsonValue.ObjectValue(Map.of()),
                                                        new JsonValue.ArrayValue(List.of()))))));
    }

    @Test
    void escapes_are_decoded() {
        assertThat(JsonValue.parse("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u003e\\u00e9é\""))
                .isEqualTo(new JsonValue.StringValue("a\"\\/\b\f\n\r\t>éé"));
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
                "01",
                "+1",
                "\"\u0001\"",
                "'a'"
            })
    void text_that_is_not_json_is_rejected(String text) {
        assertThatThrownBy(() -> JsonValue.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nesting_beyond_the_limit_is_rejected() {
        assertThatThrownBy(() -> JsonValue.parse("[".repeat(100_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nesting depth");
    }
}
