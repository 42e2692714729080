package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

@DisplayName("The README")
class ReadmeConfigTableTest {
    private static final String BEGIN = "<!-- settings -->\n";
    private static final String END = "<!-- /settings -->";

    @Test
    void the_readme_lists_the_settings_as_the_code_does() throws IOException {
        String readme = Files.readString(Path.of("..", "README.md"));
        assertThat(readme).containsOnlyOnce(BEGIN).containsOnlyOnce(END);
        String shown =
                readme.substring(readme.indexOf(BEGIN) + BEGIN.length(), readme.indexOf(END));
        String expected = SettingsTable.markdown();
        assertThat(shown.strip())
                .as("put this table between the markers of README.md:\n%s\n", expected)
                .isEqualTo(expected.strip());
    }

    @Test
    void no_help_text_breaks_the_settings_table_of_the_readme() {
        assertThat(SettingsTable.markdown().lines())
                .hasSize(Setting.values().length + 2)
                .allSatisfy(line -> assertThat(line.chars().filter(c -> c == '|')).hasSize(6));
    }
}
