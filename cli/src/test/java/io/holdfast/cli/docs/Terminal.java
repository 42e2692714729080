package io.holdfast.cli.docs;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A running shell command with its input and output. */
final class Terminal implements AutoCloseable {
    private final Process process;
    private final Duration timeout;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Thread reader;

    Terminal(String command, Duration timeout) throws IOException {
        this.timeout = timeout;
        process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
        reader = Thread.ofVirtual().start(this::collect);
    }

    private void collect() {
        try (var in =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            in.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            lines.add("unreadable: " + e);
        }
    }

    void type(List<String> request) throws IOException {
        var out = process.getOutputStream();
        out.write((String.join("\n", request) + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Returns the next line, or null if none arrives within the timeout. */
    @Nullable String read() throws InterruptedException {
        return lines.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends the input and returns the unread output, or null if the command keeps running. */
    @Nullable List<String> end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS) || !reader.join(timeout)) {
            return null;
        }
        List<String> rest = new ArrayList<>();
        lines.drainTo(rest);
        return rest;
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
