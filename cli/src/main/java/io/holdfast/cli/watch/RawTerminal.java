package io.holdfast.cli.watch;

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
 * The terminal that the process runs in, with keys that arrive as they are pressed, and a screen of
 * its own to write on. However the process ends, short of SIGKILL, the terminal is as it was.
 */
final class RawTerminal implements AutoCloseable {
    private static final File TERMINAL = new File("/dev/tty");

    /**
     * Nothing is echoed, no key holds the output back, and none sends a signal: that would also hit
     * the {@code stty} that restores the terminal.
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

    /** In cells. */
    record Size(int width, int height) {}

    private final String before;
    private final InputStream keys;
    private final OutputStream out =
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    private final AtomicBoolean open = new AtomicBoolean(true);
    private final Thread atExit = new Thread(this::restore, "holdfast-terminal");

    private RawTerminal(String before) throws IOException {
        this.before = before;
        this.keys = new FileInputStream(TERMINAL);
    }

    /** Whether there is one to open. */
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

    /** What the keys send, byte by byte. */
    InputStream keys() {
        return keys;
    }

    Size size() {
        try {
            List<String> words = List.of(stty(List.of("size")).split(" ", -1));
            int height = Integer.parseInt(words.getFirst());
            int width = Integer.parseInt(words.getLast());
            return width > 0 && height > 0 ? new Size(width, height) : DEFAULT_SIZE;
        } catch (IOException | NumberFormatException e) {
            return DEFAULT_SIZE;
        }
    }

    /**
     * Shows these lines and nothing else.
     *
     * @param marked which of them stands out; -1 for none
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

    /** Takes its time but always ends, also where a terminal takes no output any more. */
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
        Thread leaving = Thread.ofPlatform().daemon().name("holdfast-leave").start(this::sayLeave);
        try {
            boolean _ = leaving.join(LEAVE_TIMEOUT);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private void sayLeave() {
        synchronized (out) {
            try {
                out.write(LEAVE.getBytes(StandardCharsets.UTF_8));
                out.flush();
            } catch (IOException e) {
                // the terminal is gone
            }
        }
    }

    /** A signal to all processes at the terminal can end an stty, so one failure means little. */
    private boolean restoreSettings() {
        boolean interrupted = false;
        // Not every stty knows -drain, without which it waits for output that is stuck.
        for (List<String> words :
                List.of(List.of(before), List.of("-drain", before), List.of(before))) {
            try {
                String _ = stty(words);
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
            // it is running
        }
    }

    private static String stty(List<String> words) throws IOException {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(words);
        Process stty =
                new ProcessBuilder(command)
                        .redirectInput(TERMINAL)
                        .redirectError(Redirect.DISCARD)
                        .start();
        try (InputStream answer = stty.getInputStream()) {
            if (!stty.waitFor(STTY_TIMEOUT) || stty.exitValue() != 0) {
                throw new IOException("stty " + String.join(" ", words) + " failed");
            }
            return new String(answer.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            stty.destroyForcibly();
        }
    }
}
