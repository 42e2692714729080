package io.holdfast.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.watch.Pty;
import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

@DisplayName("A command under a lock of a server")
@Execution(ExecutionMode.CONCURRENT)
class LockCommandIT {
    private static Launched server;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeAll
    static void serve() throws IOException {
        server = Launched.server();
        server.address();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private Launched start(String args, String script) throws IOException {
        return start(server, args, script);
    }

    /** Runs a shell script whose first argument is the folder. */
    private Launched start(Launched at, String args, String script) throws IOException {
        List<String> all = new ArrayList<>(List.of(args.split(" ")));
        all.addAll(List.of("--", "sh", "-c", script, "sh", folder.toString()));
        return Launched.start(Map.of("HOLDFAST_SERVER", at.address()), all);
    }

    private static Launched command(String... args) throws IOException {
        return Launched.start(Map.of("HOLDFAST_SERVER", server.address()), List.of(args));
    }

    private boolean exists(String name) {
        return Files.exists(folder.resolve(name));
    }

    @Test
    void the_command_gets_key_and_growing_fence_and_its_exit_status_is_returned() throws Exception {
        List<Long> fences = new ArrayList<>();
        for (String kind : List.of("lock told", "lead told")) {
            try (Launched run =
                    start(kind, "echo $HOLDFAST_KEY; echo $HOLDFAST_FENCE; cat; exit 7")) {
                assertThat(run.status()).as("%s", run.err()).isEqualTo(7);
                assertThat(run.err()).isEmpty();
                assertThat(run.out()).hasSize(2).startsWith("told");
                fences.add(Long.parseLong(run.out().get(1)));
            }
        }
        assertThat(fences.get(1)).isGreaterThan(fences.get(0));
    }

    @Test
    void the_command_is_not_run_while_another_process_holds_the_lock() throws Exception {
        try (Launched first =
                start("lock busy", "echo in; until test -e \"$1/go\"; do sleep 0.05; done")) {
            first.awaitOut("in");
            try (Launched once = start("lock busy --timeout 0", ": > \"$1/ran\"");
                    Launched late =
                            start(
                                    "lock busy -q --timeout 50ms --conflict-exit-code 75",
                                    ": > \"$1/ran\"")) {
                assertThat(once.status()).isEqualTo(1);
                assertThat(once.err()).containsExactly("Not obtained in time: busy");
                assertThat(late.status()).isEqualTo(75);
                assertThat(late.err()).isEmpty();
            }
            try (Launched next = start("lock busy", "test -e \"$1/go\"")) {
                Files.createFile(folder.resolve("go"));
                assertThat(first.status()).isZero();
                assertThat(next.status()).isZero();
            }
            assertThat(exists("ran")).isFalse();
        }
    }

    @Test
    @NeedsProgram(OutsideProgram.SCRIPT)
    void a_wait_at_a_terminal_shows_the_holder_and_the_position() throws Exception {
        try (Launched first =
                start(
                        "lock shown --label first:1",
                        "echo in; until test -e \"$1/go\"; do sleep 0.05; done")) {
            first.awaitOut("in");
            try (Launched elsewhere = command("lock", "shown", "--", "true");
                    Pty terminal =
                            Pty.start(
                                    Map.of("HOLDFAST_SERVER", server.address()),
                                    "lock",
                                    "shown",
                                    "--",
                                    "true")) {
                terminal.awaitWritten("Waiting for shown, held by first:1; position ");
                Files.createFile(folder.resolve("go"));
                assertThat(terminal.status()).isZero();
                assertThat(elsewhere.status()).isZero();
                assertThat(elsewhere.err()).isEmpty();
            }
        }
    }

    @Test
    void a_different_semaphore_limit_is_rejected_and_shows_the_limit_in_use() throws Exception {
        try (Launched first =
                start("sem limited 2", "echo in; until test -e \"$1/go\"; do sleep 0.05; done")) {
            first.awaitOut("in");
            try (Launched other = command("sem", "limited", "3", "--", "true")) {
                assertThat(other.status()).isEqualTo(3);
                assertThat(other.err())
                        .containsExactly(
                                "Error: limited has the limit 2, not 3: all clients of a semaphore"
                                        + " must use the same limit");
            }
            Files.createFile(folder.resolve("go"));
            assertThat(first.status()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"lock shared --read", "sem shared 2", "lock shared2 --semaphore 2"})
    void commands_can_share_read_locks_and_semaphores(String args) throws Exception {
        String script =
                ": > \"$1/$2\"; until test -e \"$1/a\" && test -e \"$1/b\"; do sleep 0.05; done";
        try (Launched one = start(args, script.replace("$2", "a"));
                Launched two = start(args, script.replace("$2", "b"))) {
            assertThat(one.status()).as("%s", one.err()).isZero();
            assertThat(two.status()).as("%s", two.err()).isZero();
        }
    }

    @Test
    void signals_are_forwarded_to_the_command() throws Exception {
        try (Launched run =
                start(
                        "lock signals",
                        "trap 'exit 9' USR1; echo in; while :; do sleep 0.05; done")) {
            run.awaitOut("in");
            run.signal("USR1");
            assertThat(run.status()).isEqualTo(9);
        }
    }

    @Test
    void the_command_and_its_children_are_ended_when_the_lock_is_lost() throws Exception {
        String script = "trap '' TERM; sleep 300 & echo $! > \"$1/pid\"; echo in; wait; sleep 300";
        try (Launched doomed = Launched.server();
                Launched run = start(doomed, "lock k --kill-after 100ms", script);
                Launched other =
                        start(
                                doomed,
                                "lock k2 --on-lost ignore",
                                "echo in; cat > /dev/null; until test -e \"$1/go\"; do sleep 0.05;"
                                        + " done; exit 5")) {
            run.awaitOut("in");
            other.awaitOut("in");
            doomed.signal("KILL");
            assertThat(run.status()).isEqualTo(3);
            assertThat(run.err()).anyMatch(line -> line.startsWith("Lost k ("));
            long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
            Launched.awaitTrue(() -> ProcessHandle.of(pid).isEmpty());
            Launched.awaitTrue(
                    () -> other.err().stream().anyMatch(line -> line.startsWith("Lost k2 (")));
            assertThat(other.isAlive()).isTrue();
            Files.createFile(folder.resolve("go"));
            assertThat(other.status()).isEqualTo(5);
        }
    }

    @Test
    void the_command_is_not_run_without_a_server() throws Exception {
        try (Launched run =
                Launched.start(
                        Map.of(), List.of("lock", "k", "--server", "127.0.0.1:1", "--", "true"))) {
            assertThat(run.status()).isEqualTo(3);
            assertThat(run.err()).singleElement().asString().startsWith("Error: ");
        }
    }

    @Test
    void data_commands_work_without_a_command_to_run() throws Exception {
        assertThat(output(0, "kv", "put", "v", "a b")).isEmpty();
        assertThat(output(0, "kv", "get", "v")).containsExactly("a b");
        assertThat(output(0, "counter", "add", "c", "-5")).containsExactly("-5");
        assertThat(output(0, "list", "push", "l", "x")).containsExactly("1");
        assertThat(output(0, "list", "range", "l", "-1", "-1")).containsExactly("x");
        assertThat(output(1, "kv", "get", "nothing")).isEmpty();
        try (Launched listening = command("listen", "a.*", "--count", "1", "--json")) {
            Launched.awaitTrue(() -> listeners() > 0);
            assertThat(listening.status()).isZero();
            assertThat(listening.out())
                    .containsExactly("{\"channel\":\"a.b\",\"payload\":\"hello\"}");
        }
    }

    private static int listeners() {
        try {
            return Integer.parseInt(output(0, "signal", "a.b", "hello").getFirst());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> output(int status, String... args)
            throws IOException, InterruptedException {
        try (Launched run = command(args)) {
            assertThat(run.status()).as("%s", run.err()).isEqualTo(status);
            assertThat(run.err()).isEmpty();
            return run.out();
        }
    }
}
