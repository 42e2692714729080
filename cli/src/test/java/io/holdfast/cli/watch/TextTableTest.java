package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

@DisplayName("A table")
class TextTableTest {
    private static final TextTable TABLE =
            new TextTable(
                    List.of(
                            new TextTable.Column("KEY", false, 1000, 9),
                            new TextTable.Column("HOLDER", false, 10, 1),
                            new TextTable.Column("WAITING", true, 8, 5)),
                    List.of(
                            List.of("a-key-that-is-long", "somebody with a name", "3"),
                            List.of("b", "-", "12")));

    @Test
    void shows_all_where_there_is_no_limit() {
        assertThat(TABLE.lines(TextTable.UNLIMITED))
                .containsExactly(
                        "KEY                 HOLDER                WAITING",
                        "a-key-that-is-long  somebody with a name        3",
                        "b                   -                          12");
    }

    @Test
    void shortens_a_very_long_name_so_that_the_other_rows_stay_short() {
        TextTable textTable =
                new TextTable(
                        TABLE.columns(),
                        List.of(
                                List.of("k".repeat(3000), "n".repeat(128), "3"),
                                List.of("b", "-", "12")));
        assertThat(textTable.lines(TextTable.UNLIMITED))
                .allSatisfy(line -> assertThat(TerminalText.width(line)).isLessThanOrEqualTo(220))
                .element(1)
                .asString()
                .matches("k{99}…  n{99}…  +3");
    }

    @Test
    void cuts_what_is_too_wide() {
        assertThat(TABLE.lines(34))
                .containsExactly(
                        "KEY            HOLDER      WAITING",
                        "a-key-that-i…  somebody …        3",
                        "b              -                12");
    }

    @Test
    void leaves_out_what_weighs_least_where_it_is_narrow() {
        assertThat(TABLE.lines(24))
                .containsExactly(
                        "KEY              WAITING",
                        "a-key-that-is-…        3",
                        "b                     12");
        assertThat(TABLE.lines(12)).containsExactly("KEY", "a-key-that-…", "b");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 10, 20, 30, 50, 80})
    void is_never_wider_than_it_may_be(int width) {
        assertThat(TABLE.lines(width))
                .allSatisfy(
                        line -> assertThat(TerminalText.width(line)).isLessThanOrEqualTo(width));
    }
}
