package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.holdfast.cli.serve.RunningServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

@DisplayName("The examples of docs/lock-command.md")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockCommandExamplesIT {
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*");

    private Path folder;
    private Page page;
    private RunningServer server;
    private ShellExamples shell;

    @BeforeAll
    void start(@TempDir Path temporary) throws Exception {
        folder = temporary;
        page = Page.read(Path.of("..", "docs", "lock-command.md"));
        server = RunningServer.start(List.of());
        shell =
                ShellExamples.in(
                        folder, "export HOLDFAST_SERVER=127.0.0.1:" + server.address().getPort());
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @TestFactory
    Stream<DynamicTest> the_examples_of_the_lock_command_page_match_the_commands() {
        List<Page.Block> examples =
                page.blocks().stream().filter(block -> block.kind().equals("console")).toList();
        assertThat(examples).hasSizeGreaterThan(3);
        return examples.stream()
                .map(
                        block ->
                                dynamicTest(
                                        block.heading() + ", " + page.name() + ":" + block.line(),
                                        () ->
                                                shell.play(
                                                        block,
                                                        UnaryOperator.identity(),
                                                        Pattern::quote)));
    }

    @Test
    void the_page_lists_each_option_of_lock_sem_and_lead() throws Exception {
        List<String> help;
        String each =
                "cd '" + folder + "' && for c in lock sem lead; do ./holdfast $c --help; done";
        try (var terminal = new Terminal(each, Duration.ofSeconds(60))) {
            help = Objects.requireNonNull(terminal.end());
        }
        Set<String> options = new TreeSet<>();
        help.stream()
                .filter(line -> line.matches(" {2,6}-.*"))
                .flatMap(line -> options(line.replaceFirst("(\\S) {2,}.*", "$1")))
                .forEach(options::add);
        options.removeAll(Set.of("--help", "--quiet", "--verbose", "--version"));
        assertThat(options).hasSizeGreaterThan(12);
        assertThat(options(page.text()).toList()).containsAll(options);
    }

    private static Stream<String> options(String text) {
        return OPTION.matcher(text).results().map((MatchResult found) -> found.group());
    }
}
