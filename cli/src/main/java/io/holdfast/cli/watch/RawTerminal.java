package io.holdfast.cli.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.io.BufferedOutputStream;
import java.io.Console;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The terminal of this process in raw mode, with its alternate screen. The terminal is restored
 * however the process ends, except by SIGKILL.
 */
final class RawTerminal implements AutoCloseable {
    private static final File TERMINAL = new File("/dev/tty");

    /**
     * No echo, no flow control, and no signals from keys: these would also reach the {@code stty}
     * that restores the terminal.
     */
    private static final List<String> RAW =
            List.of("-icanon", "-echo", "-isig", "-ixon", "min", "1", "time", "0");

    private static final String ENTER = "\u001b[?1049h\u001b[?25l";
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String REST_OF_LINE = "\u001b[K";
    private static final String REST_OF_SCREEN = "\u001b[J";
    private static final String INVERSE = "\u001b[7m";
    private static final String NORMAL = "\u001b[m";
    private static final Size DEFAULT_SIZE = new Size(80, 24);
    private static final Duration STTY_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(1);

    /** In character cells. */
    record Size(int width, int height) {}

    private final String savedSettings;
    private final InputStream keys;

    @GuardedBy("out")
    private final OutputStream out =
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);

    private final AtomicBoolean open = new AtomicBoolean(true);
    private final Thread atExit = new Thread(this::restore, "holdfast-terminal");

    private RawTerminal(String savedSettings) throws IOException {
        this.savedSettings = savedSettings;
        this.keys = new FileInputStream(TERMINAL);
    }

    /**
     * Whether there is a terminal that can be opened.
     *
     * @param kind the value of TERM
     */
    @SuppressWarnings("SystemConsoleNull") // JDK 25 returns null again
    static boolean isThere(String kind) {
        Console console = System.console();
        return !kind.isEmpty()
                && !kind.equals("dumb")
                && console != null
                && console.isTerminal()
                && TERMINAL.exists();
    }

    static RawTerminal open() throws IOException {
        RawTerminal terminal = new RawTerminal(stty(List.of("-g")));
        Runtime.getRuntime().addShutdownHook(terminal.atExit);
        String _ = stty(RAW);
        terminal.write(ENTER);
        return terminal;
    }

    /** Returns the input of the terminal. */
    InputStream keys() {
        return keys;
    }

    Size size() {
        try {
            List<String> fields = List.of(stty(List.of("size")).split(" ", -1));
            int height = Integer.parseInt(fields.getFirst());
            int width = Integer.parseInt(fields.getLast());
            return width > 0 && height > 0 ? new Size(width, height) : DEFAULT_SIZE;
        } catch (IOException | NumberFormatException e) {
            return DEFAULT_SIZE;
        }
    }

    /**
     * Replaces the content of the screen by these lines.
     *
     * @param marked index of the line to highlight; -1 for none
     */
    void show(List<String> lines, int marked) throws IOException {
        StringBuilder text = new StringBuilder(HOME);
        for (int i = 0; i < lines.size(); i++) {
            text.append(i == 0 ? "" : "\r\n");
            text.append(i == marked ? INVERSE + lines.get(i) + NORMAL : lines.get(i));
            text.append(REST_OF_LINE);
        }
        write(text.append(REST_OF_SCREEN).toString());
    }

    private void write(String text) throws IOException {
        synchronized (out) {
            if (open.get()) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        }
    }

    /** Restores the terminal, with time limits, since the terminal may block output. */
    private synchronized void restore() {
        if (open.getAndSet(false)) {
            boolean interrupted = Thread.interrupted();
            interrupted |= leave();
            interrupted |= restoreSettings();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean leave() {
        Thread leaving =
                Thread.ofPlatform().daemon().name("holdfast-leave").start(this::writeLeave);
        try {
            boolean _ = leaving.join(LEAVE_TIMEOUT);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private void writeLeave() {
        synchronized (out) {
            try {
                out.write(LEAVE.getBytes(StandardCharsets.UTF_8));
                out.flush();
            } catch (IOException e) {
                // the terminal was closed
            }
        }
    }

    /** Tries several times, because a signal to all processes of the terminal can end an stty. */
    private boolean restoreSettings() {
        boolean interrupted = false;
        // -drain does not wait for blocked output, but not every stty supports it.
        for (List<String> arguments :
                List.of(
                        List.of(savedSettings),
                        List.of("-drain", savedSettings),
                        List.of(savedSettings))) {
            try {
                String _ = stty(arguments);
                return interrupted;
            } catch (IOException e) {
                interrupted |= Thread.interrupted();
            }
        }
        return interrupted;
    }

    @Override
    public void close() {
        restore();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // the hook is running
        }
    }

    private static String stty(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(arguments);
        Process stty =
                new ProcessBuilder(command)
                        .redirectInput(TERMINAL)
                        .redirectError(Redirect.DISCARD)
                        .start();
        try (InputStream output = stty.getInputStream()) {
            if (!stty.waitFor(STTY_TIMEOUT) || stty.exitValue() != 0) {
                throw new IOException("stty " + String.join(" ", arguments) + " failed");
            }
            return new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            stty.destroyForcibly();
        }
    }
}
