package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.serve.StandardStreams;
import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

@DisplayName("The completion script")
@NeedsProgram(OutsideProgram.BASH)
class CompletionCommandIT {
    @Test
    void the_script_completes_commands_and_options_in_bash(@TempDir Path folder) throws Exception {
        String script;
        try (StandardStreams streams = new StandardStreams()) {
            assertThat(Main.run(List.of("completion", "bash"), Map.of())).isZero();
            script = streams.out();
        }
        Path file = Files.writeString(folder.resolve("completion"), script);
        String completions =
                """
                source '%s' || exit 9
                compopt() { :; } # works only below a real TAB
                COMP_WORDS=(holdfast loc); COMP_CWORD=1; _complete_holdfast; echo "${COMPREPLY[@]}"
                COMP_WORDS=(holdfast lock --on-l); COMP_CWORD=2; _complete_holdfast
                echo "${COMPREPLY[@]}"
                COMP_WORDS=(holdfast tra); COMP_CWORD=1; _complete_holdfast; echo "${COMPREPLY[@]}"
                """
                        .formatted(file);
        Process bash =
                new ProcessBuilder("bash", "--norc", "-c", completions)
                        .redirectErrorStream(true)
                        .start();
        String output = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(output).isZero();
        assertThat(output.lines().map(String::strip))
                .containsExactly("lock lockd", "--on-lost", "");
    }
}
