package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Saves the scripts of the page and runs the commands after the dollar signs, from top to bottom,
 * in one folder.
 */
@DisplayName("The examples of docs/lockfile.md")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@NeedsProgram(OutsideProgram.PYTHON3)
class LockfileExamplesIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern FILE_NAME = Pattern.compile("# (\\w+\\.(?:py|sh)): .*");

    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--?[a-zA-Z][a-z-]*");

    /** The values that differ between runs: process, time, nonce. */
    private static final Pattern CHANGING =
            Pattern.compile("\\b(?:4711|1763222400|9f2c41d07ab35e68)\\b");

    /** The working directory of the examples. */
    private static final String HOME = "/home/ann/";

    private Path folder;
    private Page page;
    private ShellExamples shell;

    @BeforeAll
    void save_the_launcher_and_the_scripts(@TempDir Path temporary) throws Exception {
        folder = temporary.toRealPath();
        page = Page.read(Path.of("..", "docs", "lockfile.md"));
        shell = ShellExamples.in(folder, "");
        for (Page.Block block : page.blocks()) {
            if (block.kind().equals("sh") || block.kind().equals("python")) {
                Matcher name = FILE_NAME.matcher(block.lines().getFirst());
                assertThat(name.matches()).as("a name in %s", block.lines().getFirst()).isTrue();
                Files.writeString(
                        folder.resolve(name.group(1)), String.join("\n", block.lines()) + "\n");
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> the_examples_of_the_lockfile_page_match_the_command() {
        List<Page.Block> examples =
                page.blocks().stream().filter(block -> block.kind().equals("console")).toList();
        assertThat(examples).hasSizeGreaterThan(6);
        return examples.stream()
                .map(
                        block ->
                                dynamicTest(
                                        block.heading() + ", " + page.name() + ":" + block.line(),
                                        () ->
                                                shell.play(
                                                        block,
                                                        real -> real.replace(folder + "/", HOME),
                                                        LockfileExamplesIT::pattern)));
    }

    @Test
    void the_lockfile_page_lists_each_option_and_command() throws Exception {
        List<String> help;
        try (var terminal = new Terminal("'" + folder + "'/holdfast file --help", TIMEOUT)) {
            help = Objects.requireNonNull(terminal.end());
        }
        int commands = help.indexOf("Commands:");
        assertThat(commands).isPositive();
        List<String> options =
                help.subList(0, commands).stream()
                        .filter(line -> line.matches(" {2,6}-.*"))
                        .flatMap(line -> options(line.replaceFirst("(\\S) {2,}.*", "$1")))
                        .toList();
        assertThat(options).hasSizeGreaterThan(12);
        assertThat(page.rows("Options"))
                .flatExtracting(row -> options(row.getFirst()).toList())
                .containsExactlyInAnyOrderElementsOf(options);
        List<String> names =
                help.subList(commands, help.size()).stream()
                        .filter(line -> line.matches("  [a-z].*"))
                        .flatMap(
                                line ->
                                        Stream.of(
                                                line.strip()
                                                        .replaceFirst(" {2,}.*", "")
                                                        .split(", ")))
                        .toList();
        assertThat(page.rows("Commands"))
                .flatExtracting(
                        row ->
                                Stream.of(row.getFirst(), row.get(1))
                                        .filter(cell -> !cell.isEmpty())
                                        .map(cell -> cell.replaceAll("`| .*", ""))
                                        .toList())
                .containsExactlyInAnyOrderElementsOf(names);
    }

    private static Stream<String> options(String text) {
        return OPTION.matcher(text).results().map((MatchResult found) -> found.group());
    }

    private static String pattern(String shown) {
        StringBuilder pattern = new StringBuilder();
        Matcher changing = CHANGING.matcher(shown);
        int at = 0;
        while (changing.find()) {
            pattern.append(Pattern.quote(shown.substring(at, changing.start())));
            pattern.append(changing.group().length() == 16 ? "[0-9a-f]{16}" : "[0-9]+");
            at = changing.end();
        }
        return pattern.append(Pattern.quote(shown.substring(at))).toString();
    }
}
