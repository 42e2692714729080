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

    /** Runs a shell script under the lock; its words are the folder, then the given ones. */
    private CommandProcess start(List<String> options, String script) throws IOException {
        List<String> words = new ArrayList<>(List.of("run", lock().toString()));
        words.addAll(options);
        words.addAll(List.of("--", "sh", "-c", script, "sh", folder.toString()));
        return CommandProcess.start(words.toArray(String[]::new));
    }

    private CommandProcess start(String script) throws IOException {
        return start(List.of(), script);
    }

    private void awaitFile(String name) {
        await().atMost(CommandProcess.LONGEST)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> Files.exists(file(name)));
    }

    private void hold() throws IOException {
        Files.writeString(
                lock(), "pid=1\ntimestamp=" + Instant.now().getEpochSecond() + "\ntag=other\n");
    }

    /** Whatever a run leaves in the folder, but the sidecar. */
    private List<String> left() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("my.lock.guard"))
                    .toList();
        }
    }

    @ParameterizedTest
    @CsvSource({"exit 0,0", "exit 3,3", "exit 255,255", "kill -TERM $$,143", "kill -KILL $$,137"})
    void gives_its_exit_status_and_leaves_no_lock(String script, int status) throws Exception {
        try (CommandProcess run = start("test -e \"$1/my.lock\" || exit 99; " + script)) {
            assertThat(run.status()).isEqualTo(status);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).isEmpty();
            assertThat(left()).isEmpty();
        }
    }

    @Test
    void may_not_be_there() throws Exception {
        try (CommandProcess run =
                CommandProcess.start("run", lock().toString(), "--", "no-such-command-here")) {
            assertThat(run.status()).isEqualTo(127);
            assertThat(run.err()).isEqualTo("Error: command not found: no-such-command-here\n");
            assertThat(left()).isEmpty();
        }
    }

    @Test
    void may_not_be_executable() throws Exception {
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
    void may_have_a_name_that_looks_like_an_error(String name, int status) throws Exception {
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
    void is_not_started_by_who_cannot_learn_the_nonce(String verb) throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "no output that takes nothing");
        Process process =
                new ProcessBuilder(CommandProcess.words(List.of(verb, lock().toString(), "-j")))
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
    void has_our_input_and_output_and_its_words_untouched() throws Exception {
        boolean utf8 = "UTF-8".equals(System.getProperty("sun.jnu.encoding"));
        String word = utf8 ? "ü" : "u"; // this JVM cannot write another in a C locale
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
    void gets_our_signals_and_may_end_as_it_likes(String signal) throws Exception {
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
    void keeps_the_lock_until_its_end_even_if_it_ignores_signals() throws Exception {
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
    void ends_by_a_signal_that_it_does_not_handle() throws Exception {
        try (CommandProcess run = start(": > \"$1/ready\"; exec sleep 100")) {
            awaitFile("ready");
            run.signal("TERM");
            assertThat(run.status()).isEqualTo(128 + 15);
            assertThat(left()).containsExactly("ready");
        }
    }

    @Test
    void is_not_run_if_the_lock_is_held() throws Exception {
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
    void is_not_run_if_a_signal_ends_the_wait(String signal, int status) throws Exception {
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
    void is_no_condition_for_a_wait_to_end_by_a_signal(String verb) throws Exception {
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
        await().atMost(CommandProcess.LONGEST)
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
            return false; // it closed one while we looked
        }
        return false;
    }

    @Test
    void excludes_another() throws Exception {
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
    void is_kept_fresh_while_it_runs() throws Exception {
        String script = ": > \"$1/ready\"; while ! test -e \"$1/go\"; do sleep 0.05; done";
        try (CommandProcess run = start(List.of("--stale", "4"), script)) {
            awaitFile("ready");
            String first = timestamp();
            await().atMost(CommandProcess.LONGEST).until(() -> !timestamp().equals(first));
            Files.createFile(file("go"));
            assertThat(run.status()).isZero();
            assertThat(lock()).doesNotExist();
        }
    }

    private String timestamp() throws IOException {
        return Files.readAllLines(lock()).get(1);
    }

    @Test
    void tells_that_the_lock_was_lost_and_leaves_the_successors_file() throws Exception {
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
    void tells_of_the_successor_without_moving_the_cursor() throws Exception {
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
    void gets_a_signal_of_a_terminal_once() throws Exception {
        String counting =
                "trap 'echo x >> \"$1/got\"' INT; : > \"$1/ready\";"
                        + " until test -e \"$1/got\"; do sleep 0.05; done; sleep 0.7; exit 6";
        List<String> words =
                List.of("run", lock().toString(), "--", "sh", "-c", counting, "sh", "" + folder);
        Path line = Files.writeString(file("line"), quoted(CommandProcess.words(words)));
        // Without exec some shells stay in between, and die of the signal themselves.
        Process terminal =
                new ProcessBuilder("script", "-qec", "exec sh " + line, "/dev/null")
                        .redirectOutput(file("typescript").toFile())
                        .redirectErrorStream(true)
                        .start();
        try (OutputStream keys = terminal.getOutputStream()) {
            awaitFile("ready");
            keys.write(CONTROL_C);
            keys.flush();
            assertThat(terminal.waitFor(CommandProcess.LONGEST.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(terminal.exitValue()).isEqualTo(6);
            assertThat(file("got")).hasContent("x\n");
            assertThat(lock()).doesNotExist();
        } finally {
            terminal.descendants().forEach(ProcessHandle::destroyForcibly);
            terminal.destroyForcibly();
        }
    }

    private static String quoted(List<String> words) {
        return words.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" ", "exec ", "\n"));
    }
}
