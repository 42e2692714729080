package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * As a reader would: saves the scripts of the page and types what follows a dollar sign, from top
 * to bottom, in one folder.
 */
@DisplayName("The examples of docs/lockfile.md")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockfileExamplesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern FILE_NAME = Pattern.compile("# (\\w+\\.(?:py|sh)): .*");
    private static final String NEXT = "(next command)";

    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--?[a-zA-Z][a-z-]*");

    /** What is different each time: a process, a time, a nonce. */
    private static final Pattern CHANGING =
            Pattern.compile("\\b(?:4711|1763222400|9f2c41d07ab35e68)\\b");

    /** The folder of a reader. */
    private static final String HOME = "/home/ann/";

    private Path folder;
    private Page page;

    private record Typed(int line, String command, List<String> seen) {}

    @BeforeAll
    void save_the_launcher_and_the_scripts(@TempDir Path temporary) throws Exception {
        Python.assumeInstalled();
        folder = temporary.toRealPath();
        page = Page.read(Path.of("..", "docs", "lockfile.md"));
        Path launcher =
                Files.writeString(
                        folder.resolve("holdfast"),
                        """
                        #!/bin/sh
                        exec '%s' -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
                        --enable-native-access=ALL-UNNAMED -cp '%s' io.holdfast.cli.Main "$@"
                        """
                                .formatted(
                                        Path.of(System.getProperty("java.home"), "bin", "java"),
                                        System.getProperty("java.class.path")));
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
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
    Stream<DynamicTest> do_what_the_page_says() {
        List<Page.Block> examples =
                page.blocks().stream().filter(block -> block.kind().equals("console")).toList();
        assertThat(examples).hasSizeGreaterThan(6);
        return examples.stream()
                .map(
                        block ->
                                dynamicTest(
                                        block.heading() + ", " + page.name() + ":" + block.line(),
                                        () -> play(block)));
    }

    private static List<Typed> typed(Page.Block block) {
        List<Typed> typed = new ArrayList<>();
        for (int i = 0; i < block.lines().size(); i++) {
            String line = block.lines().get(i);
            if (line.startsWith("$ ")) {
                typed.add(new Typed(block.line() + i, line.substring(2), new ArrayList<>()));
            } else {
                typed.getLast().seen().add(line);
            }
        }
        return typed;
    }

    /** One shell for all commands, so that {@code $?} is that of the one before. */
    private void play(Page.Block block) throws IOException, InterruptedException {
        List<Typed> commands = typed(block);
        StringBuilder script = new StringBuilder("cd '" + folder + "' || exit\n");
        for (Typed command : commands) {
            script.append(command.command())
                    .append("\nstatus=$?; echo '" + NEXT + "'; (exit $status)\n");
        }
        List<String> lines;
        try (var terminal = new Terminal(script.toString(), PATIENCE)) {
            lines = Objects.requireNonNull(terminal.end(), "the example goes on and on");
        }
        assertThat(lines).filteredOn(NEXT::equals).hasSameSizeAs(commands);
        int at = 0;
        for (Typed command : commands) {
            int end = at + lines.subList(at, lines.size()).indexOf(NEXT);
            assertThat(lines.subList(at, Math.max(at, end)))
                    .as("line %d: %s", command.line(), command.command())
                    .hasSameSizeAs(command.seen())
                    .zipSatisfy(
                            command.seen(),
                            (real, shown) ->
                                    assertThat(real.replace(folder + "/", HOME))
                                            .matches(pattern(shown)));
            at = end + 1;
        }
    }

    @Test
    void knows_each_option_and_each_command() throws Exception {
        List<String> help;
        try (var terminal = new Terminal("'" + folder + "'/holdfast file --help", PATIENCE)) {
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
