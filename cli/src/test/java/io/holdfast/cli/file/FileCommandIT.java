package io.holdfast.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.serve.StandardStreams;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

@DisplayName("The command file")
class FileCommandIT {
    private static final long DEAD = 4194304; // larger than any process id on Linux
    private static final long ME = ProcessHandle.current().pid();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /** The result of a run. */
    private record Ended(int status, List<String> out, List<String> err) {
        void is(int expectedStatus, List<String> expectedOut, List<String> expectedErr) {
            assertThat(this).isEqualTo(new Ended(expectedStatus, expectedOut, expectedErr));
        }

        void prints(int expectedStatus, String... lines) {
            is(expectedStatus, List.of(lines), List.of());
        }

        void complains(int expectedStatus, String... lines) {
            is(expectedStatus, List.of(), List.of(lines));
        }

        void isWrongUsage(String message) {
            assertThat(status).isEqualTo(2);
            assertThat(out).isEmpty();
            assertThat(err.get(0)).startsWith("Error: ").contains(message);
            assertThat(err.get(1)).isEmpty();
            assertThat(err.get(2)).startsWith("Usage: ");
        }
    }

    /** Runs {@code file} with these arguments, where LOCK is replaced by the path of the lock. */
    private Ended run(String... args) {
        String[] real =
                Arrays.stream(args)
                        .map(word -> word.equals("LOCK") ? lock().toString() : word)
                        .toArray(String[]::new);
        try (StandardStreams streams = new StandardStreams()) {
            int status = FileCommand.create().execute(real);
            return new Ended(status, streams.out().lines().toList(), streams.errLines());
        }
    }

    private Ended run(String args) {
        return run(args.split(" "));
    }

    private Path lock() {
        return folder.resolve("my.lock");
    }

    private void write(String content) throws IOException {
        Files.writeString(lock(), content);
    }

    private void writeHeld(long pid, Duration age) throws IOException {
        write("pid=" + pid + "\ntimestamp=" + (now() - age.toSeconds()) + "\n");
    }

    private static long now() {
        return Instant.now().getEpochSecond();
    }

    private List<String> fields() throws IOException {
        return Files.readAllLines(lock(), StandardCharsets.UTF_8);
    }

    private String field(String name) throws IOException {
        return fields().stream()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the files in the folder except the sidecar. */
    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("my.lock.guard"))
                    .toList();
        }
    }

    @Nested
    @DisplayName("try")
    class Try {
        @ParameterizedTest
        @ValueSource(strings = {"try", "try-acquire", "acquire"})
        void try_acquires_a_free_lock_and_leaves_it_held(String verb) throws IOException {
            run(verb, "LOCK").prints(0, "Lock acquired: " + lock());
            assertThat(fields().getFirst()).isEqualTo("pid=" + ME);
            assertThat(files()).containsExactly("my.lock");
        }

        @Test
        void try_shows_the_holder_of_a_held_lock() throws IOException {
            writeHeld(DEAD, Duration.ZERO);
            byte[] before = Files.readAllBytes(lock());
            run("try LOCK").complains(1, "Lock already held", "  Holder PID: " + DEAD);
            assertThat(Files.readAllBytes(lock())).isEqualTo(before);
            assertThat(files()).containsExactly("my.lock");
        }

        @Test
        void try_shows_what_is_at_the_path_if_it_is_not_a_lock() throws IOException {
            Files.createDirectory(lock());
            run("try LOCK").complains(1, "Lock already held", "  Found: a folder");
            run("acquire LOCK --timeout 0")
                    .complains(
                            1,
                            "Warning: there is a folder at the path, which counts as held until"
                                    + " it is removed",
                            "Timeout waiting for lock");
        }

        @Test
        void a_stale_time_below_one_second_is_rejected() {
            Ended ended = run("try LOCK --stale 999ms");
            assertThat(ended.status()).isEqualTo(2);
            assertThat(ended.err().getFirst()).startsWith("Error: --stale must be at least 1s");
            assertThat(run("try LOCK --stale 1").status()).isZero();
        }

        @Test
        void try_shows_no_holder_if_the_file_has_none() throws IOException {
            write("");
            run("try LOCK").complains(1, "Lock already held");
            run("try --json LOCK")
                    .prints(
                            1,
                            "{\"status\":\"failed\",\"type\":\"ALREADY_LOCKED\","
                                    + "\"message\":\"Lock already held\",\"locked\":true,"
                                    + "\"pid\":null,\"since\":null,"
                                    + "\"holderPid\":null,\"lockedSince\":null}");
        }

        @Test
        void try_can_print_json() throws IOException {
            Ended taken = run("try", "LOCK", "--json", "--tag", "a \"b\" \\ ü");
            taken.prints(
                    0,
                    "{\"status\":\"acquired\",\"pid\":"
                            + ME
                            + ",\"timestamp\":"
                            + field("timestamp")
                            + ",\"tag\":\"a \\\"b\\\" \\\\ ü\",\"nonce\":\""
                            + field("nonce")
                            + "\"}");
            assertThat(field("tag")).isEqualTo("a \"b\" \\ ü");
            String since = field("timestamp");
            run("try -q -j LOCK")
                    .prints(
                            1,
                            "{\"status\":\"failed\",\"type\":\"ALREADY_LOCKED\","
                                    + "\"message\":\"Lock already held\",\"locked\":true,"
                                    + "\"pid\":%1$d,\"since\":%2$s,\"holderPid\":%1$d,\"lockedSince\":%2$s}"
                                            .formatted(ME, since));
        }

        @Test
        void try_is_quiet_with_quiet() {
            run("try -q LOCK").prints(0);
            run("try LOCK --quiet").prints(1);
        }

        @Test
        void try_logs_progress_with_verbose() {
            run("try -v LOCK")
                    .is(
                            0,
                            List.of("Lock acquired: " + lock()),
                            List.of("[INFO] Trying to acquire the lock: " + lock()));
        }

        @Test
        void the_default_policy_takes_over_a_stale_lock_by_its_age() throws IOException {
            writeHeld(ME, Duration.ofSeconds(3700));
            run("try --stale 0 LOCK").complains(1, "Lock already held", "  Holder PID: " + ME);
            run("try --stale 2h LOCK").complains(1, "Lock already held", "  Holder PID: " + ME);
            run("try --stale-policy age-and-dead LOCK")
                    .complains(1, "Lock already held", "  Holder PID: " + ME);
            run("try LOCK").prints(0, "Lock acquired: " + lock());
        }

        @Test
        void age_and_dead_takes_over_a_stale_lock_of_a_dead_process() throws IOException {
            writeHeld(DEAD, Duration.ofSeconds(3));
            run("try --stale-policy age-and-dead --stale 1.5 LOCK")
                    .prints(0, "Lock acquired: " + lock());
        }

        @Test
        void pid_sets_the_process_in_the_lock_file() throws IOException {
            run("try LOCK --pid 4711").prints(0, "Lock acquired: " + lock());
            assertThat(field("pid")).isEqualTo("4711");
        }

        @Test
        void an_empty_tag_differs_from_no_tag() throws IOException {
            run("try", "LOCK", "--tag", "").prints(0, "Lock acquired: " + lock());
            assertThat(fields()).contains("tag=");
        }
    }

    @Nested
    @DisplayName("acquire")
    class Acquire {
        @ParameterizedTest
        @CsvSource({"0,0", "0.05,50", "40ms,40"})
        void acquire_times_out(String timeout, String millis) throws IOException {
            writeHeld(DEAD, Duration.ZERO);
            run("acquire", "LOCK", "--timeout", timeout).complains(1, "Timeout waiting for lock");
            run("acquire", "LOCK", "-q", "--timeout", timeout).prints(1);
            run("acquire", "LOCK", "-j", "--timeout", timeout)
                    .prints(
                            1,
                            "{\"status\":\"failed\",\"type\":\"TIMEOUT\",\"message\":\"Timeout"
                                    + " waiting for lock after "
                                    + millis
                                    + "ms\"}");
        }

        @Test
        void acquire_takes_over_a_lock_that_becomes_stale_while_it_waits() throws IOException {
            writeHeld(DEAD, Duration.ofSeconds(1));
            run("acquire LOCK --stale 1 --timeout 20").prints(0, "Lock acquired: " + lock());
        }
    }

    @Nested
    @DisplayName("release")
    class Release {
        @Test
        void release_removes_the_lock_of_any_process() throws IOException {
            writeHeld(1, Duration.ZERO);
            run("release LOCK").prints(0, "Lock released: " + lock());
            assertThat(files()).isEmpty();
        }

        @Test
        void release_of_a_free_lock_succeeds() {
            run("release LOCK").prints(0, "Lock released: " + lock());
            run("release LOCK --json").prints(0, "{\"status\":\"released\"}");
            run("release LOCK -q").prints(0);
        }

        @Test
        void release_removes_an_unfinished_lock_file() throws IOException {
            write("pid=12");
            run("release LOCK").prints(0, "Lock released: " + lock());
            assertThat(files()).isEmpty();
        }

        @Test
        void release_leaves_a_foreign_file_unless_forced() throws IOException {
            write("Dear diary\n");
            Ended refused = run("release -q LOCK");
            assertThat(refused.status()).isEqualTo(3);
            assertThat(refused.err())
                    .singleElement()
                    .asString()
                    .startsWith("Error: Parse error: ")
                    .contains(lock().getFileName().toString());
            Ended json = run("release -j LOCK");
            assertThat(json.status()).isEqualTo(3);
            assertThat(json.out())
                    .singleElement()
                    .asString()
                    .startsWith("{\"status\":\"failed\",\"type\":\"PARSE_ERROR\",\"message\":\"");
            assertThat(lock()).hasContent("Dear diary\n");
            run("release LOCK -f").prints(0, "Lock released: " + lock());
            assertThat(files()).isEmpty();
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "--force"})
        void release_leaves_a_folder_even_if_forced(String option) throws IOException {
            Files.createDirectory(lock());
            Ended refused = run(("release -j LOCK " + option).strip());
            assertThat(refused.status()).isEqualTo(3);
            assertThat(refused.out())
                    .singleElement()
                    .asString()
                    .startsWith("{\"status\":\"failed\",\"type\":\"IO_ERROR\",\"message\":\"");
            assertThat(lock()).isDirectory();
        }

        @Test
        void a_forced_release_removes_a_link_but_not_its_target() throws IOException {
            Path target = Files.createFile(folder.resolve("target"));
            Files.createSymbolicLink(lock(), target);
            assertThat(run("release LOCK").status()).isEqualTo(3);
            assertThat(files()).containsExactlyInAnyOrder("target", "my.lock");
            run("release LOCK --force").prints(0, "Lock released: " + lock());
            assertThat(files()).containsExactly("target");
        }

        @Test
        void release_with_a_nonce_requires_the_same_nonce() throws IOException {
            run("try -q LOCK").prints(0);
            String nonce = field("nonce");
            String refusal = "Lock held by different process (PID " + ME + ")";
            run("release LOCK --nonce 0123456789abcdef").complains(1, refusal);
            run("release -q LOCK --nonce 0123456789abcdef").prints(1);
            run("release -j LOCK --nonce 0123456789abcdef")
                    .prints(
                            1,
                            "{\"status\":\"failed\",\"type\":\"PERMISSION_DENIED\",\"message\":\""
                                    + refusal
                                    + "\",\"holderPid\":"
                                    + ME
                                    + "}");
            assertThat(files()).containsExactly("my.lock");
            run("release", "LOCK", "--nonce", nonce).prints(0, "Lock released: " + lock());
            assertThat(files()).isEmpty();
        }

        @Test
        void release_with_a_pid_requires_the_same_pid() throws IOException {
            writeHeld(4711, Duration.ZERO);
            run("release LOCK --pid 4712")
                    .complains(1, "Lock held by different process (PID 4711)");
            run("release LOCK --pid 4711").prints(0, "Lock released: " + lock());
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "--nonce ab --force",
                    "--pid 1 --force",
                    "--pid 1 --nonce ab",
                    "--pid 1 --nonce ab --force"
                })
        void release_accepts_only_one_of_nonce_pid_and_force(String options) throws IOException {
            writeHeld(1, Duration.ZERO);
            run("release LOCK " + options).isWrongUsage("only one of --nonce, --pid and --force");
            assertThat(files()).containsExactly("my.lock");
        }
    }

    @Nested
    @DisplayName("status")
    class StatusOf {
        private static final String UNKNOWN =
                "{\"locked\":true,\"pid\":null,\"timestamp\":null,\"tag\":null,\"info\":null,"
                        + "\"class\":\"%s\",\"isStale\":%s,\"alive\":\"unknown\","
                        + "\"isOwnedByCurrentProcess\":false}";

        @ParameterizedTest
        @ValueSource(strings = {"", "-q"})
        void status_shows_that_a_lock_is_free(String option) {
            run(("status LOCK " + option).strip())
                    .prints(0, "Lock status: FREE", "  Path: " + lock());
            run(("status LOCK -j " + option).strip())
                    .prints(
                            0,
                            "{\"locked\":false,\"info\":null,\"isStale\":false,"
                                    + "\"isOwnedByCurrentProcess\":false}");
        }

        @Test
        void status_shows_everything_about_a_held_lock() throws IOException {
            long since = now();
            write("pid=" + DEAD + "\ntimestamp=" + since + "\ntag=night\u001b[2J \"run\"\n");
            run("status -q LOCK")
                    .prints(
                            1,
                            "Lock status: LOCKED",
                            "  Path: " + lock(),
                            "  PID: " + DEAD,
                            "  Timestamp: " + since,
                            "  Tag: night [2J \"run\"",
                            "  Process running: no");
            run("status LOCK --json")
                    .prints(
                            1,
                            ("{\"locked\":true,\"pid\":%1$d,\"timestamp\":%2$d,\"tag\":%3$s,"
                                 + "\"info\":{\"pid\":%1$d,\"timestamp\":%2$d,\"tag\":%3$s},"
                                 + "\"class\":\"valid\",\"isStale\":false,\"alive\":\"no\","
                                 + "\"isOwnedByCurrentProcess\":false}")
                                    .formatted(DEAD, since, "\"night\\u001b[2J \\\"run\\\"\""));
        }

        @Test
        void status_shows_that_the_process_itself_holds_the_lock_without_a_tag()
                throws IOException {
            run("try LOCK -q").prints(0);
            run("status LOCK --json")
                    .prints(
                            1,
                            ("{\"locked\":true,\"pid\":%1$d,\"timestamp\":%2$s,\"tag\":null,"
                                 + "\"info\":{\"pid\":%1$d,\"timestamp\":%2$s},"
                                 + "\"class\":\"valid\",\"isStale\":false,\"alive\":\"yes\","
                                 + "\"isOwnedByCurrentProcess\":true}")
                                    .formatted(ME, field("timestamp")));
        }

        @Test
        void status_shows_that_a_lock_is_stale() throws IOException {
            writeHeld(DEAD, Duration.ofSeconds(60));
            assertThat(run("status LOCK --stale 59").out()).endsWith("  Stale: yes");
            assertThat(run("status LOCK --stale 59 -j").out().getFirst())
                    .contains("\"isStale\":true");
            assertThat(run("status LOCK --stale 0").out()).doesNotContain("  Stale: yes");
            assertThat(run("status LOCK").out()).doesNotContain("  Stale: yes");
        }

        @Test
        void status_shows_a_date_in_the_future() throws IOException {
            writeHeld(0, Duration.ofDays(-1));
            assertThat(run("status LOCK").out())
                    .endsWith(
                            "  Process running: unknown",
                            "  Note: dated in the future, held until then unless released");
        }

        @ParameterizedTest
        @CsvSource({
            "'', debris, an unfinished lock file",
            "pid=1, debris, an unfinished lock file",
            "Dear diary, foreign, a file that is not a lock file"
        })
        void status_shows_a_foreign_file_at_the_path(String content, String type, String text)
                throws IOException {
            write(content);
            run("status LOCK")
                    .prints(1, "Lock status: LOCKED", "  Path: " + lock(), "  Found: " + text);
            run("status LOCK -j").prints(1, UNKNOWN.formatted(type, false));
        }

        @Test
        void status_shows_an_unfinished_lock_file_as_stale() throws IOException {
            write("");
            Files.setLastModifiedTime(lock(), FileTime.fromMillis(0));
            assertThat(run("status LOCK").out())
                    .endsWith("  Found: an unfinished lock file", "  Stale: yes");
            run("status LOCK -j").prints(1, UNKNOWN.formatted("debris", true));
        }

        @Test
        void status_shows_folders_and_links() throws IOException {
            Files.createDirectory(lock());
            assertThat(run("status LOCK").out()).endsWith("  Found: a folder");
            run("status LOCK -j").prints(1, UNKNOWN.formatted("foreign", false));
            Files.delete(lock());
            Files.createSymbolicLink(lock(), folder.resolve("nowhere"));
            assertThat(run("status LOCK").out()).endsWith("  Found: a symbolic link");
        }

        @Test
        void status_shows_the_path_as_it_was_typed() {
            String typed = folder + "/./x/../my.lock";
            assertThat(run("status", typed).status()).isEqualTo(3);
            String odd = folder + "//./my.lock";
            run("status", odd).prints(0, "Lock status: FREE", "  Path: " + odd);
        }
    }

    @Nested
    @DisplayName("wait")
    class Wait {
        @Test
        void wait_ends_at_once_if_the_lock_is_free() {
            run("wait LOCK").prints(0, "Lock is free: " + lock());
            run("wait LOCK -q").prints(0);
            run("wait LOCK -j")
                    .prints(
                            0,
                            "{\"locked\":false,\"info\":null,\"isStale\":false,"
                                    + "\"isOwnedByCurrentProcess\":false}");
        }

        @Test
        void wait_ends_at_once_if_the_lock_is_stale() throws IOException {
            writeHeld(DEAD, Duration.ofSeconds(4000));
            run("wait LOCK").prints(0, "Lock is stale: " + lock());
            assertThat(run("wait LOCK -j").out().getFirst()).contains("\"isStale\":true");
            assertThat(files()).containsExactly("my.lock");
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "--stale 0", "--stale-policy age-and-dead --stale 1"})
        void wait_times_out(String options) throws IOException {
            writeHeld(ME, Duration.ofSeconds(60));
            String args = ("wait LOCK --timeout 20ms " + options).strip();
            run(args).complains(1, "Timeout waiting for lock to be released");
            run(args + " -q").prints(1);
            run(args + " -j")
                    .prints(
                            1,
                            "{\"status\":\"failed\",\"type\":\"TIMEOUT\",\"message\":\"Timeout"
                                    + " waiting for lock after 20ms\"}");
        }
    }

    @Nested
    @DisplayName("clean")
    class Clean {
        @ParameterizedTest
        @ValueSource(strings = {"clean", "cleanup"})
        void clean_removes_stale_files_only(String verb) throws IOException {
            run(verb, "LOCK").prints(0, "Nothing to clean: " + lock());
            writeHeld(DEAD, Duration.ofSeconds(60));
            run(verb, "LOCK").prints(0, "Nothing to clean: " + lock());
            run(verb, "LOCK", "-j").prints(0, "{\"cleaned\":false}");
            run(verb, "LOCK", "--stale", "5").prints(0, "Cleaned: " + lock());
            assertThat(files()).isEmpty();
            writeHeld(DEAD, Duration.ofSeconds(60));
            run(verb, "LOCK", "--stale", "5", "-j").prints(0, "{\"cleaned\":true}");
        }
    }

    @Nested
    @DisplayName("with invalid arguments")
    class WrongUsage {
        @ParameterizedTest
        @CsvSource({
            "--nope,Unknown option: '--nope'",
            "nope,Unknown command: 'nope'",
            "try,PATH",
            "run,PATH",
            "--json,A command is missing",
            "try LOCK --nope,Unknown option: '--nope'",
            "try LOCK -x,Unknown option: '-x'",
            "try LOCK other,Unexpected argument: 'other'",
            "try LOCK --timeout,--timeout",
            "try LOCK --tag,--tag",
            "try LOCK --tag --json,--tag",
            "try LOCK --timeout soon,'soon'",
            "try LOCK --timeout -1,'-1'",
            "try LOCK --stale 1d,'1d'",
            "try LOCK --settle=soon,Invalid value for option '--settle'",
            "try LOCK --settle soon,Unexpected argument: 'soon'",
            "try LOCK --pid x,'x'",
            "try LOCK --pid -1,'-1'",
            "try LOCK --pid 4294967296,'4294967296'",
            "try LOCK --stale-policy dead,'dead'",
            "try LOCK --nonce ab,--nonce is for release",
            "clean LOCK --force,--force is for release",
            "acquire LOCK --conflict-exit-code 3,--conflict-exit-code is for run",
            "release LOCK --nonce xyz,'xyz'",
            "release LOCK --nonce=,''",
            "run LOCK --conflict-exit-code 256 -- true,'256'",
            "run LOCK,after --",
            "run LOCK true,after --",
            "run LOCK true -- true,after --",
            "run LOCK --,A command to run is missing",
            "run -- LOCK true,after --",
            "run LOCK --tag -- true,--tag",
            "run LOCK -- echo \ufffd,LC_ALL=C.UTF-8"
        })
        void invalid_arguments_print_the_usage(String args, String message) throws IOException {
            run(args).isWrongUsage(message);
            assertThat(files()).isEmpty();
        }

        @Test
        void no_arguments_print_the_usage() {
            try (StandardStreams streams = new StandardStreams()) {
                assertThat(FileCommand.create().execute()).isEqualTo(2);
                assertThat(streams.out()).isEmpty();
                assertThat(streams.errLines().getFirst()).isEqualTo("Error: A command is missing");
            }
        }
    }

    @Nested
    @DisplayName("command line grammar")
    class Grammar {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "--tag x --json -q try LOCK",
                    "--tag=x try --json LOCK",
                    "try -t x LOCK -j",
                    "try -jtx LOCK",
                    "-j try LOCK --tag y -t x",
                    "--json try LOCK -j --json -t x",
                    "try -j -t x -- LOCK",
                    "try --settle -j -t x LOCK",
                    "try -j -t x --settle LOCK",
                    "try -j -t x --settle 1ms LOCK",
                    "--settle=1ms try -j -t x LOCK",
                    "try -j -t x LOCK --settle"
                })
        void options_may_stand_anywhere(String args) throws IOException {
            Ended taken = run(args);
            assertThat(taken.status()).isZero();
            assertThat(taken.err()).isEmpty();
            assertThat(taken.out().getFirst()).startsWith("{").contains("\"tag\":\"x\"");
            assertThat(field("tag")).isEqualTo("x");
        }

        @Test
        void arguments_after_two_dashes_are_not_options() {
            Ended free = run("status", "--", "-h");
            assertThat(free.out()).containsExactly("Lock status: FREE", "  Path: -h");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "-h",
                    "--help",
                    "try -h",
                    "acquire LOCK --help",
                    "run --help",
                    "-q release -h",
                    "clean -h LOCK"
                })
        void each_verb_prints_help(String args) {
            Ended help = run(args);
            assertThat(help.status()).isZero();
            assertThat(help.err()).isEmpty();
            assertThat(help.out().getFirst()).startsWith("Usage: ");
            assertThat(help.out()).allSatisfy(l -> assertThat(l).hasSizeLessThan(101));
        }
    }

    @Nested
    @DisplayName("with an invalid path")
    class BadPath {
        @ParameterizedTest
        @ValueSource(strings = {"try", "acquire", "release", "status", "wait", "clean", "run"})
        void a_path_that_cannot_be_used_is_reported(String verb) {
            String path = folder.resolve("missing").resolve("my.lock").toString();
            List<String> args = new ArrayList<>(List.of(verb, path, "-q"));
            if (verb.equals("run")) {
                args.addAll(List.of("--", "true"));
            }
            Ended failed = run(args.toArray(String[]::new));
            assertThat(failed.status()).isEqualTo(3);
            assertThat(failed.out()).isEmpty();
            assertThat(failed.err())
                    .singleElement()
                    .asString()
                    .startsWith("Error: Invalid path: ")
                    .contains("missing");
            args.add(2, "-j");
            Ended json = run(args.toArray(String[]::new));
            assertThat(json.status()).isEqualTo(3);
            assertThat(json.err()).isEmpty();
            assertThat(json.out())
                    .singleElement()
                    .asString()
                    .startsWith("{\"status\":\"failed\",\"type\":\"INVALID_PATH\",\"message\":\"");
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "a\0b", "a.guard"})
        void a_path_that_is_not_text_is_reported(String name) {
            Ended failed = run("status", name.isEmpty() ? name : folder.resolve("x") + name);
            assertThat(failed.status()).isEqualTo(3);
            assertThat(failed.err()).first().asString().startsWith("Error: Invalid path: ");
        }
    }

    @Test
    void a_world_writable_folder_causes_a_warning() throws IOException {
        String path = openFolder("one").resolve("my.lock").toString();
        Ended warned = run("status", path);
        assertThat(warned.out()).hasSize(2);
        assertThat(warned.err()).singleElement().asString().startsWith("Warning: ");
        run("status", "-q", openFolder("two").resolve("my.lock").toString())
                .prints(0, "Lock status: FREE", "  Path: " + folder + "/two/my.lock");
    }

    private Path openFolder(String name) throws IOException {
        Path open = Files.createDirectory(folder.resolve(name));
        return Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
}
