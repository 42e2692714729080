package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cli.HoldfastJvm;
import io.holdfast.testsupport.ProcessSignals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The real program in a JVM of its own. */
final class ServerProcess implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern LISTENING = Pattern.compile("msg=listening addr=\\S+:(\\d+)");

    private final Process process;
    private final List<String> out = new CopyOnWriteArrayList<>();
    private final List<String> err = new CopyOnWriteArrayList<>();
    private final List<Thread> readers;

    private ServerProcess(Process process) {
        this.process = process;
        this.readers =
                List.of(
                        collect(process.getInputStream(), out),
                        collect(process.getErrorStream(), err));
    }

    static ServerProcess start(Map<String, String> environment, String... args) throws IOException {
        return start(environment, List.of(), args);
    }

    /** Starts the program by another command. */
    static ServerProcess startFrom(List<String> outer, String... args) throws IOException {
        return start(Map.of(), outer, args);
    }

    private static ServerProcess start(
            Map<String, String> environment, List<String> outer, String... args)
            throws IOException {
        List<String> command = new ArrayList<>(outer);
        command.addAll(HoldfastJvm.command(128, List.of(args)));
        ProcessBuilder builder = new ProcessBuilder(ProcessSignals.withDefaultSignals(command));
        builder.environment()
                .keySet()
                .removeIf(name -> name.matches("(DFLOCKD|HOLDFAST|JAVA|JDK)_.*"));
        builder.environment().putAll(environment);
        return new ServerProcess(builder.start());
    }

    static ServerProcess start(String... args) throws IOException {
        return start(Map.of(), args);
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

    /** Waits for the first listener and returns its port. */
    int port() {
        String line = awaitLog(text -> LISTENING.matcher(text).find());
        Matcher listening = LISTENING.matcher(line);
        assertThat(listening.find()).isTrue();
        return Integer.parseInt(listening.group(1));
    }

    /** Waits for the listener of a protocol and returns its port. */
    int portOf(String protocol) {
        Pattern listening =
                Pattern.compile("msg=listening addr=\\S+:(\\d+) protocol=" + protocol + " ");
        Matcher found = listening.matcher(awaitLog(text -> listening.matcher(text).find()));
        assertThat(found.find()).isTrue();
        return Integer.parseInt(found.group(1));
    }

    long pid() {
        return process.pid();
    }

    /** Waits for a line on standard error. */
    String awaitLog(Predicate<String> condition) {
        await().atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> err.stream().anyMatch(condition) || !process.isAlive());
        return err.stream()
                .filter(condition)
                .findFirst()
                .orElseThrow(() -> new AssertionError("not in the log: " + err));
    }

    /** Sends a signal by its name. */
    void signal(String name) throws IOException, InterruptedException {
        ProcessSignals.send(name, process.pid());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for the end of the process and of its output. */
    int status() throws InterruptedException {
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .as("ends in time; its log: %s", err)
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
        process.destroyForcibly();
    }
}
