package io.holdfast.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cli.HoldfastJvm;
import io.holdfast.testsupport.ProcessSignals;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code holdfast} in a JVM of its own. */
final class Launched implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern LISTENING = Pattern.compile("msg=listening addr=(\\S+:\\d+)");

    private final Process process;
    private final List<String> out = new CopyOnWriteArrayList<>();
    private final List<String> err = new CopyOnWriteArrayList<>();
    private final List<Thread> readers;

    private Launched(Process process) {
        this.process = process;
        this.readers =
                List.of(
                        collect(process.getInputStream(), out),
                        collect(process.getErrorStream(), err));
    }

    static Launched start(Map<String, String> environment, List<String> args) throws IOException {
        List<String> command = HoldfastJvm.command(128, args);
        ProcessBuilder builder = new ProcessBuilder(ProcessSignals.withDefaultSignals(command));
        builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
        builder.environment().putAll(environment);
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        return new Launched(builder.start());
    }

    /** Starts a server on a free port. */
    static Launched server() throws IOException {
        return start(Map.of(), List.of("serve", "--listen", "dflockd://127.0.0.1:0"));
    }

    private static Thread collect(InputStream stream, List<String> lines) {
        return Thread.ofVirtual()
                .start(
                        () -> {
                            try (var in =
                                    new BufferedReader(
                                            new InputStreamReader(
                                                    stream, StandardCharsets.UTF_8))) {
                                in.lines().forEach(lines::add);
                            } catch (IOException | UncheckedIOException e) {
                                lines.add("unreadable: " + e);
                            }
                        });
    }

    /** Waits until the server listens, and returns its port. */
    String address() {
        awaitTrue(() -> err.stream().anyMatch(line -> LISTENING.matcher(line).find()));
        Matcher listening = LISTENING.matcher(String.join("\n", err));
        assertThat(listening.find()).isTrue();
        return listening.group(1);
    }

    static void awaitTrue(BooleanSupplier condition) {
        await().atMost(TIMEOUT).pollInterval(Duration.ofMillis(10)).until(condition::getAsBoolean);
    }

    void awaitOut(String line) {
        awaitTrue(() -> out.contains(line));
    }

    void signal(String name) throws IOException, InterruptedException {
        ProcessSignals.send(name, process.pid());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for the end of the process and of its output. */
    int status() throws InterruptedException {
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .as("ends in time; its errors: %s", err)
                .isTrue();
        for (Thread reader : readers) {
            assertThat(reader.join(TIMEOUT)).isTrue();
        }
        return process.exitValue();
    }

    List<String> out() {
        return out;
    }

    List<String> err() {
        return err;
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
