package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** The example of lockd's README, adapted to Python 3: bytes, and print as a function. */
@DisplayName("The Python example of lockd's README")
@NeedsProgram(OutsideProgram.PYTHON3)
class LockdPythonExampleIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String PATH = "/var/run/lockd/socket";

    @TempDir private Path folder;

    static String program() throws IOException {
        try (var file = LockdPythonExampleIT.class.getResourceAsStream("/lockd/unix_socket.py")) {
            return new String(
                    Objects.requireNonNull(file).readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private List<String> run(Path socket) throws IOException, InterruptedException {
        assertThat(program()).containsOnlyOnce(PATH);
        Path script =
                Files.writeString(
                        folder.resolve("example.py"), program().replace(PATH, socket.toString()));
        try (var terminal = new Terminal("python3 " + script, TIMEOUT)) {
            return Objects.requireNonNull(terminal.end());
        }
    }

    @Test
    void the_python_example_acquires_a_lock_over_a_unix_socket() throws Exception {
        Path socket = folder.resolve("socket");
        try (var _ = new ExampleServer(List.of("lockd", "--unix", socket.toString()))) {
            String got = "b'1 Lock Get Success: foo\\r\\n'";
            assertThat(run(socket)).containsExactly(got);
            assertThat(run(socket)).as("after the first has gone").containsExactly(got);
        }
    }
}
