package io.holdfast.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

@DisplayName("A command under a lock")
@Execution(ExecutionMode.CONCURRENT)
class FileRunIT {
    private static final int CONTROL_C = 3;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private Path lock() {
        return folder.resolve("my.lock");
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    /** Runs a shell script under the lock; its arguments are the folder and the given ones. */
    private CommandProcess start(List<String> options, String script) throws IOException {
        List<String> args = new ArrayList<>(List.of("run", lock().toString()));
        args.addAll(options);
        args.addAll(List.of("--", "sh", "-c", script, "sh", folder.toString()));
        return CommandProcess.start(args.toArray(String[]::new));
    }

    private CommandProcess start(String script) throws IOException {
        return start(List.of(), script);
    }

    private void awaitFile(String name) {
        await().atMost(CommandProcess.TIMEOUT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> Files.exists(file(name)));
    }

    private void hold() throws IOException {
        Files.writeString(
                lock(), "pid=1\ntimestamp=" + Instant.now().getEpochSecond() + "\ntag=other\n");
    }

    /** Returns the files that a run has left in the folder, except the sidecar. */
    private List<String> left() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("my.lock.guard"))
                    .toList();
        }
    }

    @ParameterizedTest
    @CsvSource({"exit 0,0", "exit 3,3", "exit 255,255", "kill -TERM $$,143", "kill -KILL $$,137"})
    void run_returns_the_exit_status_of_the_command_and_releases_the_lock(String script, int status)
            throws Exception {
        try (CommandProcess run = start("test -e \"$1/my.lock\" || exit 99; " + script)) {
            assertThat(run.status()).isEqualTo(status);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).isEmpty();
            assertThat(left()).isEmpty();
        }
    }

    @Test
    void a_command_that_does_not_exist_gives_127() throws Exception {
        try (CommandProcess run =
                CommandProcess.start("run", lock().toString(), "--", "no-such-command-here")) {
            assertThat(run.status()).isEqualTo(127);
            assertThat(run.err()).isEqualTo("Error: command not found: no-such-command-here\n");
            assertThat(left()).isEmpty();
        }
    }

    @Test
    void a_command_that_is_not_executable_gives_126() throws Exception {
        Path plain = Files.createFile(file("plain"));
        try (CommandProcess run =
                CommandProcess.start("run", lock().toString(), "--", plain.toString())) {
            assertThat(run.status()).isEqualTo(126);
            assertThat(run.err()).isEqualTo("Error: cannot execute: " + plain + "\n");
            assertThat(left()).containsExactly("plain");
        }
    }

    @ParameterizedTest
    @CsvSource({"error=13,127", "error=2,126"})
    void a_command_name_that_looks_like_an_error_is_not_misread(String name, int status)
            throws Exception {
        if (status == 126) {
            Files.createFile(file(name));
        }
        try (CommandProcess run =
                CommandProcess.start("run", lock().toString(), "--", file(name).toString())) {
            assertThat(run.status()).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"try", "acquire"})
    void the_lock_is_released_if_the_nonce_cannot_be_written(String verb) throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "no output that takes nothing");
        Process process =
                new ProcessBuilder(
                                CommandProcess.commandLine(List.of(verb, lock().toString(), "-j")))
                        .redirectOutput(full.toFile())
                        .start();
        try {
            String err =
                    new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).isEqualTo(3);
            assertThat(err)
                    .isEqualTo(
                            "Error: IO error: cannot write to standard output, the lock was"
                                    + " released again\n");
            assertThat(left()).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void the_command_inherits_input_and_output_and_gets_its_arguments_unchanged() throws Exception {
        boolean utf8 = "UTF-8".equals(System.getProperty("sun.jnu.encoding"));
        String word = utf8 ? "ü" : "u"; // in a C locale, this JVM cannot pass non-ASCII arguments
        try (CommandProcess run =
                CommandProcess.start(
                        "run",
                        "-t",
                        "x",
                        lock().toString(),
                        "--",
                        "sh",
                        "-c",
                        "cat; echo to-err >&2; printf '<%s>' \"$@\"",
                        "sh",
                        "--json",
                        "--",
                        "a  b",
                        "@c",
                        word,
                        "")) {
            run.type("typed\n");
            assertThat(run.status()).isZero();
            assertThat(run.out()).isEqualTo("typed\n<--json><--><a  b><@c><" + word + "><>");
            assertThat(run.err()).isEqualTo("to-err\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "HUP", "INT", "USR1", "USR2"})
    void signals_are_forwarded_and_the_command_may_handle_them(String signal) throws Exception {
        String script =
                "trap 'echo "
                        + signal
                        + " > \"$1/got\"; exit 7' "
                        + signal
                        + "; : > \"$1/ready\"; while :; do sleep 0.05; done";
        try (CommandProcess run = start(script)) {
            awaitFile("ready");
            assertThat(lock()).exists();
            run.signal(signal);
            assertThat(run.status()).isEqualTo(7);
            assertThat(file("got")).hasContent(signal + "\n");
            assertThat(lock()).doesNotExist();
            assertThat(run.err()).isEmpty();
        }
    }

    @Test
    void the_lock_is_held_until_a_command_ends_that_ignores_signals() throws Exception {
        String script =
                "trap 'echo x >> \"$1/got\"' TERM; : > \"$1/ready\";"
                        + " while ! test -e \"$1/go\"; do sleep 0.05; done; exit 5";
        try (CommandProcess run = start(script)) {
            awaitFile("ready");
            run.signal("TERM");
            awaitFile("got");
            assertThat(lock()).exists();
            assertThat(run.isAlive()).isTrue();
            Files.createFile(file("go"));
            assertThat(run.status()).isEqualTo(5);
            assertThat(file("got")).hasContent("x\n");
            assertThat(lock()).doesNotExist();
        }
    }

    @Test
    void a_command_ended_by_a_signal_gives_128_plus_its_number() throws Exception {
        try (CommandProcess run = start(": > \"$1/ready\"; exec sleep 100")) {
            awaitFile("ready");
            run.signal("TERM");
            assertThat(run.status()).isEqualTo(128 + 15);
            assertThat(left()).containsExactly("ready");
        }
    }

    @Test
    void the_command_is_not_run_if_the_lock_is_held() throws Exception {
        hold();
        byte[] before = Files.readAllBytes(lock());
        try (CommandProcess plain = start(List.of("--timeout", "50ms"), ": > \"$1/ran\"");
                CommandProcess quiet =
                        start(
                                List.of("-q", "--timeout=0", "--conflict-exit-code", "75"),
                                ": > \"$1/ran\"");
                CommandProcess json = start(List.of("-j", "--timeout=0"), ": > \"$1/ran\"")) {
            assertThat(plain.status()).isEqualTo(1);
            assertThat(plain.err()).isEqualTo("Timeout waiting for lock\n");
            assertThat(quiet.status()).isEqualTo(75);
            assertThat(quiet.err()).isEmpty();
            assertThat(json.status()).isEqualTo(1);
            assertThat(json.out())
                    .isEqualTo(
                            "{\"status\":\"failed\",\"type\":\"TIMEOUT\",\"message\":\"Timeout"
                                    + " waiting for lock after 0ms\"}\n");
            assertThat(left()).containsExactly("my.lock");
            assertThat(Files.readAllBytes(lock())).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM,143", "INT,130", "HUP,129"})
    void the_command_is_not_run_if_a_signal_ends_the_wait(String signal, int status)
            throws Exception {
        hold();
        byte[] before = Files.readAllBytes(lock());
        try (CommandProcess run = start(List.of("-v"), ": > \"$1/ran\"")) {
            awaitWaiting(run);
            run.signal(signal);
            assertThat(run.status()).isEqualTo(status);
            assertThat(left()).containsExactly("my.lock");
            assertThat(Files.readAllBytes(lock())).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "wait"})
    void a_signal_also_ends_a_wait_without_a_command(String verb) throws Exception {
        hold();
        try (CommandProcess waiting = CommandProcess.start(verb, lock().toString())) {
            awaitWaiting(waiting);
            waiting.signal("TERM");
            assertThat(waiting.status()).isEqualTo(143);
            assertThat(left()).containsExactly("my.lock");
        }
    }

    /** A process that waits for a lock has a thread that watches the folder. */
    private static void awaitWaiting(CommandProcess waiting) {
        await().atMost(CommandProcess.TIMEOUT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> watches(waiting.pid()));
    }

    private static boolean watches(long pid) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                if (Files.exists(descriptor, LinkOption.NOFOLLOW_LINKS)
                        && Files.readSymbolicLink(descriptor).toString().contains("inotify")) {
                    return true;
                }
            }
        } catch (NoSuchFileException e) {
            return false; // a file descriptor was closed in the meantime
        }
        return false;
    }

    @Test
    void commands_under_the_same_lock_exclude_each_other() throws Exception {
        String script =
                "mkdir \"$1/inside\" || exit 99; sleep 0.2; rmdir \"$1/inside\"; echo x >>"
                        + " \"$1/done\"";
        try (CommandProcess one = start(script);
                CommandProcess two = start(script);
                CommandProcess three = start(script)) {
            assertThat(one.status()).isZero();
            assertThat(two.status()).isZero();
            assertThat(three.status()).isZero();
            assertThat(file("done")).hasContent("x\nx\nx\n");
            assertThat(left()).containsExactly("done");
        }
    }

    @Test
    void the_lock_file_is_refreshed_while_the_command_runs() throws Exception {
        String script = ": > \"$1/ready\"; while ! test -e \"$1/go\"; do sleep 0.05; done";
        try (CommandProcess run = start(List.of("--stale", "4"), script)) {
            awaitFile("ready");
            String first = timestamp();
            await().atMost(CommandProcess.TIMEOUT).until(() -> !timestamp().equals(first));
            Files.createFile(file("go"));
            assertThat(run.status()).isZero();
            assertThat(lock()).doesNotExist();
        }
    }

    private String timestamp() throws IOException {
        return Files.readAllLines(lock()).get(1);
    }

    @Test
    void a_lost_lock_is_reported_and_the_successors_file_stays() throws Exception {
        String script = ": > \"$1/ready\"; while ! test -e \"$1/go\"; do sleep 0.05; done; exit 4";
        try (CommandProcess run = start(List.of("-q"), script)) {
            awaitFile("ready");
            Files.delete(lock());
            hold();
            byte[] successor = Files.readAllBytes(lock());
            Files.createFile(file("go"));
            assertThat(run.status()).isEqualTo(4);
            assertThat(run.err()).startsWith("Lock lost: ").contains("taken over", "(other)");
            assertThat(Files.readAllBytes(lock())).isEqualTo(successor);
        }
    }

    @Test
    void control_characters_of_the_successors_tag_are_not_printed() throws Exception {
        String script =
                "rm \"$1/my.lock\"; printf 'pid=1\\ntimestamp=%s\\ntag=a\\033[2Jb\\n'"
                        + " \"$(date +%s)\" > \"$1/my.lock\"";
        try (CommandProcess run = start(script)) {
            assertThat(run.status()).isZero();
            assertThat(run.err()).startsWith("Lock lost: ").contains("(a [2Jb)");
        }
    }

    @Test
    @NeedsProgram(OutsideProgram.SCRIPT)
    void a_signal_typed_at_a_terminal_reaches_the_command_once() throws Exception {
        String counting =
                "trap 'echo x >> \"$1/got\"' INT; : > \"$1/ready\";"
                        + " until test -e \"$1/got\"; do sleep 0.05; done; sleep 0.7; exit 6";
        List<String> args =
                List.of("run", lock().toString(), "--", "sh", "-c", counting, "sh", "" + folder);
        Path line = Files.writeString(file("line"), quoted(CommandProcess.commandLine(args)));
        // Without exec some shells stay as the parent and are ended by the signal themselves.
        Process terminal =
                new ProcessBuilder("script", "-qec", "exec sh " + line, "/dev/null")
                        .redirectOutput(file("typescript").toFile())
                        .redirectErrorStream(true)
                        .start();
        try (OutputStream keys = terminal.getOutputStream()) {
            awaitFile("ready");
            keys.write(CONTROL_C);
            keys.flush();
            assertThat(terminal.waitFor(CommandProcess.TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(terminal.exitValue()).isEqualTo(6);
            assertThat(file("got")).hasContent("x\n");
            assertThat(lock()).doesNotExist();
        } finally {
            terminal.descendants().forEach(ProcessHandle::destroyForcibly);
            terminal.destroyForcibly();
        }
    }

    private static String quoted(List<String> args) {
        return args.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" ", "exec ", "\n"));
    }
}
