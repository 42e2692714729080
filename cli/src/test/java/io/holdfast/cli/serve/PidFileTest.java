package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.config.ConfigException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@link LockdProcessIT} tests the lock against another process. */
@DisplayName("A pid file")
class PidFileTest {
    @TempDir private Path folder;

    @Test
    void a_pid_file_contains_the_process_id_without_a_line_break() throws Exception {
        Path file = folder.resolve("pid");
        try (PidFile _ = PidFile.write(file.toString())) {
            assertThat(Files.readString(file)).isEqualTo("" + ProcessHandle.current().pid());
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void the_pid_file_of_a_dead_process_is_replaced() throws Exception {
        Path file = Files.writeString(folder.resolve("pid"), "12345678901234567890\n");
        try (PidFile _ = PidFile.write(file.toString())) {
            assertThat(Files.readString(file)).isEqualTo("" + ProcessHandle.current().pid());
        }
    }

    @Test
    void closing_a_removed_pid_file_does_not_fail() throws Exception {
        Path file = folder.resolve("pid");
        try (PidFile _ = PidFile.write(file.toString())) {
            Files.delete(file);
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void a_file_that_is_not_a_pid_file_is_not_overwritten() throws IOException {
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
    void an_unwritable_pid_file_is_an_error() {
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
