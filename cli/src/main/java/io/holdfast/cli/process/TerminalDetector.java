package io.holdfast.cli.process;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Whether this process was started on a terminal. */
public final class TerminalDetector {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private TerminalDetector() {}

    /**
     * Whether standard input, output or error is a terminal. Without /proc, both input and output
     * must be a terminal.
     */
    @SuppressWarnings("SystemConsoleNull") // JDK 25 returns null again
    public static boolean isThere() {
        if (Files.isDirectory(DESCRIPTORS)) {
            return Stream.of("0", "1", "2").anyMatch(TerminalDetector::isTerminal);
        }
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    private static boolean isTerminal(String descriptor) {
        try {
            String target = Files.readSymbolicLink(DESCRIPTORS.resolve(descriptor)).toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (IOException e) {
            return false; // the descriptor is closed
        }
    }
}
