package io.holdfast.console.output;

import java.io.Console;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes lines for users and scripts, always in UTF-8, whatever the locale. */
public final class Printer {
    private Printer() {}

    /** Prints to standard output, for scripts, so the text is not changed. */
    public static void out(String line) {
        print(System.out, line);
    }

    /** Prints to standard error, for people: control characters become spaces. */
    public static void err(String line) {
        print(System.err, printable(line));
    }

    /** Whether standard error is a terminal. */
    @SuppressWarnings("SystemConsoleNull") // JDK 25 returns null again
    public static boolean isErrTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) { // not on Linux
            Console console = System.console();
            return console != null && console.isTerminal();
        }
    }

    /** Whether writing to standard output has failed, for example because a pipe was closed. */
    public static boolean isOutputClosed() {
        return System.out.checkError();
    }

    /** Replaces control characters, which could control the terminal, with spaces. */
    public static String printable(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints().forEach(c -> out.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
        return out.toString();
    }

    private static void print(PrintStream stream, String line) {
        PrintWriter writer =
                new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
        writer.print(line + "\n");
        writer.flush();
    }
}
