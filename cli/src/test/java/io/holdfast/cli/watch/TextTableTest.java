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
    void an_unlimited_table_shows_everything() {
        assertThat(TABLE.lines(TextTable.UNLIMITED))
                .containsExactly(
                        "KEY                 HOLDER                WAITING",
                        "a-key-that-is-long  somebody with a name        3",
                        "b                   -                          12");
    }

    @Test
    void a_very_long_name_is_cut_in_an_unlimited_table() {
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
    void wide_cells_of_a_table_are_cut() {
        assertThat(TABLE.lines(34))
                .containsExactly(
                        "KEY            HOLDER      WAITING",
                        "a-key-that-i…  somebody …        3",
                        "b              -                12");
    }

    @Test
    void a_narrow_table_drops_the_columns_with_the_least_weight() {
        assertThat(TABLE.lines(24))
                .containsExactly(
                        "KEY              WAITING",
                        "a-key-that-is-…        3",
                        "b                     12");
        assertThat(TABLE.lines(12)).containsExactly("KEY", "a-key-that-…", "b");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 10, 20, 30, 50, 80})
    void a_table_is_never_wider_than_its_limit(int width) {
        assertThat(TABLE.lines(width))
                .allSatisfy(
                        line -> assertThat(TerminalText.width(line)).isLessThanOrEqualTo(width));
    }
}
