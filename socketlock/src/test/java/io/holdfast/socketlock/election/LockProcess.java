package io.holdfast.socketlock.election;

import io.holdfast.testsupport.ProcessSignals;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A running {@link LockProgram} and its output so far. */
final class LockProcess implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Process process;
    private final List<String> lines = new ArrayList<>();

    /** The lines that {@link #expect} has not matched yet. Guarded by this list. */
    private final List<String> unmatched = new ArrayList<>();

    private boolean ended;

    private LockProcess(Process process) {
        this.process = process;
    }

    static LockProcess start(Path path, String... more) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xshare:auto",
                                "-Xmx64m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                LockProgram.class.getName(),
                                path.toString()));
        command.addAll(List.of(more));
        Process process =
                new ProcessBuilder(ProcessSignals.withDefaultSignals(command))
                        .redirectErrorStream(true)
                        .start();
        LockProcess result = new LockProcess(process);
        Thread reader = new Thread(result::read);
        reader.setDaemon(true);
        reader.start();
        return result;
    }

    private void read() {
        try (var out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                add(line, false);
            }
        } catch (IOException e) {
            // Killed.
        }
        add("ended", true);
    }

    private void add(String line, boolean last) {
        synchronized (lines) {
            lines.add(line);
            unmatched.add(line);
            ended = last;
            lines.notifyAll();
        }
    }

    /** Waits until it is connected. */
    LockProcess connected() {
        expect("connected");
        return this;
    }

    void send(String command) {
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Acquires the lock and returns its fence. */
    long holds(String mode) {
        send(mode);
        return holds();
    }

    /** The fence of the lock that it has been waiting for. */
    long holds() {
        return Long.parseLong(expect("holds"));
    }

    /** Waits for a line with this prefix and returns the rest; fails on an error line before. */
    String expect(String words) {
        String found = find(words, TIMEOUT);
        if (found == null) {
            throw new AssertionError("no \"" + words + "\" among " + output());
        }
        return found.substring(words.length()).strip();
    }

    /** Whether there is an unmatched line with this text, or one arrives within this time. */
    boolean prints(String words, Duration within) {
        return find(words, within) != null;
    }

    private @Nullable String find(String words, Duration within) {
        long end = System.nanoTime() + within.toNanos();
        synchronized (lines) {
            while (true) {
                for (String line : unmatched) { // lines of its threads arrive in any order
                    if (line.startsWith(words)) {
                        unmatched.remove(line);
                        return line;
                    }
                    if (line.startsWith("error") || line.startsWith("Exception")) {
                        return null;
                    }
                }
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (ended || left <= 0) {
                    return null;
                }
                try {
                    lines.wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return null;
                }
            }
        }
    }

    List<String> output() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /** Whether it is the primary, according to its output. */
    boolean serves() {
        List<String> all = output();
        return all.lastIndexOf("serves") > all.lastIndexOf("serves no more");
    }

    void kill() {
        process.destroyForcibly();
        waitForEnd();
    }

    private void waitForEnd() {
        boolean interrupted = false;
        while (true) {
            try {
                process.waitFor();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        ProcessSignals.send(name, process.pid());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        kill();
    }
}
