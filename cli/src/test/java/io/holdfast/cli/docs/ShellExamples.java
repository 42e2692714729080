package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.HoldfastJvm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Runs the commands after the dollar signs of a page in a shell, in a folder with the launcher. */
final class ShellExamples {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String NEXT = "(next command)";

    private final Path folder;
    private final String first;

    private record Typed(int line, String command, List<String> seen) {}

    private ShellExamples(Path folder, String first) {
        this.folder = folder;
        this.first = first;
    }

    /**
     * Creates the launcher in the folder.
     *
     * @param first commands that each shell runs before the example
     */
    static ShellExamples in(Path folder, String first) throws IOException {
        String command =
                HoldfastJvm.command(128, List.of()).stream()
                        .map(word -> "'" + word + "'")
                        .collect(Collectors.joining(" "));
        Path launcher =
                Files.writeString(
                        folder.resolve("holdfast"), "#!/bin/sh\nexec " + command + " \"$@\"\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
        return new ShellExamples(folder, first);
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

    /**
     * Runs a block in one shell, so that {@code $?} is the status of the previous command.
     *
     * @param clean normalizes a line of the output
     * @param pattern returns the pattern that a line of the page stands for
     */
    void play(Page.Block block, UnaryOperator<String> clean, UnaryOperator<String> pattern)
            throws IOException, InterruptedException {
        List<Typed> commands = typed(block);
        StringBuilder script = new StringBuilder("cd '" + folder + "' || exit\n" + first + "\n");
        for (Typed command : commands) {
            script.append(command.command())
                    .append("\nstatus=$?; echo '" + NEXT + "'; (exit $status)\n");
        }
        List<String> lines;
        try (var terminal = new Terminal(script.toString(), TIMEOUT)) {
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
                                    assertThat(clean.apply(real)).matches(pattern.apply(shown)));
            at = end + 1;
        }
    }
}
