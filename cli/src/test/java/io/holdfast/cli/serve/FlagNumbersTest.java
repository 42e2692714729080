package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A number on the command line")
class FlagNumbersTest {
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "6388,6388",
        "+5,5",
        "-5,-5",
        "-0,0",
        "0x10,16",
        "0XfF,255",
        "-0x10,-16",
        "0o17,15",
        "0O17,15",
        "0b101,5",
        "0B101,5",
        "0x7fffffffffffffff,9223372036854775807",
        "9223372036854775807,9223372036854775807",
        "-9223372036854775808,-9223372036854775808"
    })
    void a_flag_number_is_decimal_or_has_a_base_prefix(String text, long value) {
        assertThat(FlagNumbers.parse(text)).hasValue(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-",
                "+",
                "abc",
                "1a",
                "1.0",
                "1e3",
                " 1",
                "1 ",
                "--1",
                "+-1",
                "0x",
                "0b",
                "0o",
                "0x-1",
                "0x+1",
                "0b2",
                "0o8",
                "0xg",
                "x10",
                "1s",
                "\u0663",
                "\uff11",
                "0x\u0663",
                "9223372036854775808",
                "-9223372036854775809",
                "0x8000000000000000",
                "99999999999999999999"
            })
    void text_with_foreign_digits_or_out_of_range_is_not_a_flag_number(String text) {
        assertThat(FlagNumbers.parse(text)).isEmpty();
    }
}
