package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Saves the programs of the page, with the server's port, and runs them. */
@DisplayName("The programs of docs/recipes.md")
@NeedsProgram(OutsideProgram.PYTHON3)
@Execution(ExecutionMode.CONCURRENT)
class RecipesIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern FILE_NAME = Pattern.compile("(?:#|//) (\\w+\\.(?:py|java)): .*");

    @TempDir private Path folder;
    private Page page;

    @BeforeEach
    void read() throws IOException {
        page = Page.read(Path.of("..", "docs", "recipes.md"));
    }

    private void save(ExampleServer server) throws IOException {
        for (Page.Block block : page.blocks()) {
            if (block.kind().equals("python")) {
                save(block, program -> program.replace("6388", String.valueOf(server.port())));
            }
        }
    }

    private void save(Page.Block block, UnaryOperator<String> change) throws IOException {
        Matcher name = FILE_NAME.matcher(block.lines().getFirst());
        assertThat(name.matches()).as("a name in %s", block.lines().getFirst()).isTrue();
        String program = String.join("\n", block.lines()) + "\n";
        Files.writeString(folder.resolve(name.group(1)), change.apply(program));
    }

    private void change(String file, String what, String by) throws IOException {
        String program = Files.readString(folder.resolve(file));
        assertThat(program).contains(what);
        Files.writeString(folder.resolve(file), program.replace(what, by));
    }

    private Terminal start(String command) throws IOException {
        // Unbuffered, a line of two words is two writes, and two workers write to one terminal.
        String line = "unset PYTHONUNBUFFERED; cd '" + folder + "' || exit\n" + command;
        return new Terminal(line, TIMEOUT);
    }

    /** Runs a command to its end. */
    private List<String> run(String command) {
        try (var terminal = start(command)) {
            List<String> seen = terminal.end();
            assertThat(seen).as("%s comes to an end", command).isNotNull();
            return seen;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void workers_process_queued_jobs_and_are_woken_by_new_ones() throws Exception {
        try (var server = new ExampleServer(List.of("serve", "--read-timeout", "600"))) {
            save(server);
            change("worker.py", "wait(10)", "wait(600)"); // now only a signal wakes them
            assertThat(run("python3 submit.py early")).isEmpty();
            try (var workers = start("python3 worker.py & python3 worker.py & wait")) {
                assertThat(workers.read()).isEqualTo("done: early");
                assertThat(run("python3 submit.py wash dry 'iron the shirts'")).isEmpty();
                List<String> seen = Arrays.asList(workers.read(), workers.read(), workers.read());
                assertThat(seen)
                        .containsExactlyInAnyOrder(
                                "done: wash", "done: dry", "done: iron the shirts");
            }
        }
    }

    @Test
    void a_disconnected_worker_reconnects_and_polls_again() throws Exception {
        try (var server = new ExampleServer(List.of("dflockd", "--read-timeout", "3"))) {
            save(server);
            change("submit.py", "server.ask(\"signal\"", "0 and server.ask(\"signal\"");
            try (var worker = start("exec python3 worker.py")) {
                assertThat(worker.read()).startsWith("once more: ");
                assertThat(run("python3 submit.py wash")).isEmpty();
                String seen = worker.read();
                while (seen != null && seen.startsWith("once more: ")) {
                    seen = worker.read();
                }
                assertThat(seen).isEqualTo("done: wash");
            }
        }
    }

    @Test
    void the_rate_limit_admits_its_limit_and_its_counters_are_removed() throws Exception {
        try (var server =
                new ExampleServer(List.of("serve", "--gc-interval", "1", "--gc-max-idle", "0"))) {
            save(server);
            // The window is so long that it does not end during the test.
            String rate = "python3 rate.py ann 2 1000000000";
            assertThat(run(rate)).containsExactly("go");
            assertThat(run(rate)).containsExactly("go");
            assertThat(run(rate)).containsExactly("wait");
            assertThat(run("python3 rate.py bob 2 1000000000")).containsExactly("go");
            String stats = "python3 -c 'from line import Line; print(Line().ask(\"stats\"))'";
            assertThat(run("python3 tidy.py 600")).isEmpty();
            assertThat(run(stats)).singleElement().asString().contains("rate.ann.", "rate.bob.");
            assertThat(run("python3 tidy.py 0")).isEmpty();
            await().atMost(TIMEOUT)
                    .untilAsserted(
                            () ->
                                    assertThat(run(stats))
                                            .singleElement()
                                            .asString()
                                            .contains("\"counters\":[]"));
        }
    }

    @Test
    void the_cache_computes_a_value_once_for_concurrent_readers() throws Exception {
        try (var server = new ExampleServer(List.of("serve"))) {
            save(server);
            assertThat(run("python3 cache.py 600 & python3 cache.py 600 & wait"))
                    .containsExactlyInAnyOrder("making it", "dark blue", "dark blue");
        }
    }

    @Test
    void the_cache_computes_a_value_again_after_its_ttl() throws Exception {
        try (var server = new ExampleServer(List.of("serve"))) {
            save(server);
            assertThat(run("python3 cache.py 1")).containsExactly("making it", "dark blue");
            await().atMost(TIMEOUT).until(() -> run("python3 cache.py 600").contains("making it"));
            assertThat(run("python3 cache.py 600")).containsExactly("dark blue");
        }
    }

    @Test
    void a_shared_file_misses_no_number_while_primaries_change() throws Exception {
        for (Page.Block block : page.blocks()) {
            if (block.kind().equals("java")) {
                save(block, UnaryOperator.identity());
            }
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String path = System.getProperty("java.class.path");
        String add = "'" + java + "' -XX:TieredStopAtLevel=1 -cp '" + path + "' Add.java ";
        assertThat(run(add + "5")).containsExactly("balance: 5");
        String twice = add + "3 && " + add + "3";
        assertThat(run("(" + twice + ") & (" + twice + ") & (" + twice + ") & wait"))
                .hasSize(6)
                .contains("balance: 23");
        assertThat(folder.resolve("balance")).hasContent("23");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .as("no drafts")
                    .containsExactlyInAnyOrder("Add.java", "balance", "balance.sock.lock");
        }
    }
}
