package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.config.ConfigException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.attribute.PosixFilePermissions;

@DisplayName("The mode of a file")
class FileModeParserTest {
    @ParameterizedTest
    @CsvSource({
        "0660,rw-rw----",
        "660,rw-rw----",
        "600,rw-------",
        "0777,rwxrwxrwx",
        "000,---------",
        "0421,r---w---x",
        "124,--x-w-r--"
    })
    void a_mode_is_three_octal_digits_with_or_without_a_leading_zero(
            String text, String permissions) {
        assertThat(FileModeParser.parse("--unix-mode", text))
                .isEqualTo(PosixFilePermissions.fromString(permissions));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "0", "66", "00660", "1660", "0668", "0o660", "-660", "rw-", " 660", "٦٦٠"
            })
    void text_other_than_three_octal_digits_is_not_a_file_mode(String text) {
        assertThatThrownBy(() -> FileModeParser.parse("mode", text))
                .isInstanceOf(ConfigException.class)
                .hasMessage("mode must be three octal digits, as in 0660 (got " + text + ")");
    }
}
