package io.holdfast.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

@DisplayName("A program that tests need")
class OutsideProgramIT {
    @TempDir private Path folder;

    private Path program(String name, String script) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Map<String, String> path() {
        return Map.of("PATH", "/nowhere:" + folder);
    }

    @Test
    void a_program_is_found_on_the_path_under_any_of_its_names() throws IOException {
        assertThat(OutsideProgram.CHROMIUM.find(path())).isEmpty();
        Path chrome = program("google-chrome", "");
        assertThat(OutsideProgram.CHROMIUM.find(path())).contains(chrome);
        Path chromium = program("chromium", "");
        assertThat(OutsideProgram.CHROMIUM.find(path())).contains(chromium);
    }

    @Test
    void the_variable_chromium_names_the_browser() throws IOException {
        Path own = program("my-browser", "");
        assertThat(OutsideProgram.CHROMIUM.find(Map.of("CHROMIUM", own.toString()))).contains(own);
    }

    @Test
    void a_program_that_is_too_old_or_another_one_of_that_name_counts_as_missing()
            throws IOException {
        program("python3", "echo False");
        assertThat(OutsideProgram.PYTHON3.find(path())).isEmpty();
        program("nc", "echo 'usage: nc [-l]'; exit 1");
        assertThat(OutsideProgram.NC.find(path())).isEmpty();
        Files.createDirectory(folder.resolve("curl"));
        assertThat(OutsideProgram.CURL.find(path())).isEmpty();
    }

    @Test
    void a_program_is_usable_if_its_output_shows_the_needed_option() throws IOException {
        Path nc =
                program(
                        "nc",
                        "echo '  -N  Shutdown the network socket after EOF on stdin'; exit 1");
        assertThat(OutsideProgram.NC.find(path())).contains(nc);
    }
}
