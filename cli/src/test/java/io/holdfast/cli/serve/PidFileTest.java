package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.server.ConfigException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What another process sees of it is told by {@link LockdProcessIT}. */
@DisplayName("A pid file")
class PidFileTest {
    @TempDir private Path folder;

    @Test
    void has_the_number_of_the_process_and_no_line_end() throws Exception {
        Path file = folder.resolve("pid");
        try (PidFile _ = PidFile.write(file.toString())) {
            assertThat(Files.readString(file)).isEqualTo("" + ProcessHandle.current().pid());
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void replaces_one_that_a_dead_process_left_behind() throws Exception {
        Path file = Files.writeString(folder.resolve("pid"), "12345678901234567890\n");
        try (PidFile _ = PidFile.write(file.toString())) {
            assertThat(Files.readString(file)).isEqualTo("" + ProcessHandle.current().pid());
        }
    }

    @Test
    void that_somebody_has_removed_ends_without_a_complaint() throws Exception {
        Path file = folder.resolve("pid");
        try (PidFile _ = PidFile.write(file.toString())) {
            Files.delete(file);
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void leaves_a_file_alone_that_is_something_else() throws IOException {
        Path file = Files.writeString(folder.resolve("precious"), "not a number");
        assertThatThrownBy(() -> PidFile.write(file.toString()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("the file exists and is not a pid file");
        assertThat(file).hasContent("not a number");
        assertThatThrownBy(() -> PidFile.write("/dev/null")).isInstanceOf(ConfigException.class);
        assertThat(Path.of("/dev/null")).exists();
        Files.writeString(file, "1".repeat(1000));
        assertThatThrownBy(() -> PidFile.write(file.toString()))
                .isInstanceOf(ConfigException.class);
    }

    @Test
    void is_an_error_where_none_can_be_written() {
        Path file = folder.resolve("no-such-folder").resolve("pid");
        assertThatThrownBy(() -> PidFile.write(file.toString()))
                .isInstanceOf(ConfigException.class)
                .hasMessage("cannot write the pid file " + file + ": no such directory");
        assertThatThrownBy(() -> PidFile.write(folder.toString()))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("cannot write the pid file " + folder + ": ");
        assertThatThrownBy(() -> PidFile.write("a\0b"))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("cannot write the pid file ");
    }
}
