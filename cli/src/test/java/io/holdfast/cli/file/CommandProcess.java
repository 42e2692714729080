package io.holdfast.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.HoldfastJvm;
import io.holdfast.testsupport.ProcessSignals;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** {@code holdfast file} in a JVM of its own. */
final class CommandProcess implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Process process;
    private final CompletableFuture<String> out;
    private final CompletableFuture<String> err;

    private CommandProcess(Process process) {
        this.process = process;
        this.out = readAll(process.getInputStream());
        this.err = readAll(process.getErrorStream());
    }

    static CommandProcess start(String... args) throws IOException {
        return new CommandProcess(new ProcessBuilder(commandLine(List.of(args))).start());
    }

    /** Returns the command that runs {@code holdfast file} with these arguments. */
    static List<String> commandLine(List<String> args) {
        List<String> all = new ArrayList<>(List.of("file"));
        all.addAll(args);
        return ProcessSignals.withDefaultSignals(HoldfastJvm.command(64, all));
    }

    private static CompletableFuture<String> readAll(InputStream stream) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                Thread::startVirtualThread);
    }

    /** Writes all of its standard input and closes it. */
    void type(String text) throws IOException {
        try (OutputStream in = process.getOutputStream()) {
            in.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal by its name. */
    void signal(String name) throws IOException, InterruptedException {
        ProcessSignals.send(name, process.pid());
    }

    /** Waits for the end. */
    int status() throws InterruptedException {
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .as("ends in time")
                .isTrue();
        return process.exitValue();
    }

    String out() {
        return out.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
    }

    String err() {
        return err.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
