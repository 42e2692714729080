package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

@DisplayName("Standard output")
@Execution(ExecutionMode.CONCURRENT)
class StandardOutputIT {
    private record Ended(int status, String err) {}

    /** Runs a shell script whose {@code "$@"} is the holdfast command. */
    private static Ended run(String script, String args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        command.addAll(HoldfastJvm.command(64, List.of(args.split(" "))));
        Process process =
                new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), err);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "version",
                "--help",
                "dflockd --help",
                "kv get --help",
                "top --help",
                "help kv"
            })
    void a_failed_write_to_standard_output_makes_each_command_exit_with_3(String args)
            throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")));
        assertThat(run("exec \"$@\" >/dev/full", args))
                .isEqualTo(
                        new Ended(
                                3,
                                "Error: cannot write to standard output: no space left on"
                                        + " device\n"));
    }

    @Test
    void a_pipe_closed_by_its_reader_is_not_a_failure() throws Exception {
        String script = "{ \"$@\"; echo status=$? >&2; } | :";
        assertThat(run(script, "--help")).isEqualTo(new Ended(0, "status=0\n"));
    }
}
