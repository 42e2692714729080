package io.holdfast.cli.docs;

import io.holdfast.cli.HoldfastJvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The real program in a JVM of its own, on free ports instead of 6388, 6389 and 9999 and with
 * sockets in a folder of its own instead of {@code /tmp}.
 */
final class ExampleServer implements AutoCloseable {
    /** The port of HTTP on the pages. */
    static final int HTTP_PORT = 6389;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern LISTENING =
            Pattern.compile("msg=listening addr=\\S*?(?::(\\d+))? protocol=(\\S+)");
    private static final Pattern DRAINING = Pattern.compile("msg=\"shutting down");

    /** Marks the end of the log in the queue. */
    private static final String END = "(end)";

    private final Process process;
    private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
    private final Map<Integer, Integer> ports = new HashMap<>();
    private final Path folder;

    /**
     * @param args the command and its flags, as on a page
     */
    ExampleServer(List<String> args) throws IOException, InterruptedException {
        folder = Files.createTempDirectory("holdfast");
        List<String> real = onFreePorts(args);
        real.replaceAll(this::inFolder);
        ProcessBuilder builder =
                new ProcessBuilder(HoldfastJvm.command(128, real)).redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeIf(name -> name.matches("(DFLOCKD|HOLDFAST|JAVA|JDK)_.*"));
        process = builder.start();
        Thread.ofVirtual().start(this::collect);
        if (args.getFirst().equals("socketlockd")) {
            awaitSocket(Path.of(real.get(real.indexOf("-socket") + 1)));
            return;
        }
        for (int i = 0; i < Math.max(1, Collections.frequency(real, "--listen")); i++) {
            Matcher listening = await(LISTENING);
            switch (listening.group(2)) {
                case "dflockd" -> ports.put(Example.DFLOCKD_PORT, port(listening));
                case "lockd" -> ports.put(Example.LOCKD_PORT, port(listening));
                case "http" -> ports.put(HTTP_PORT, port(listening));
                default -> {}
            }
        }
    }

    private static List<String> onFreePorts(List<String> args) {
        List<String> real = new ArrayList<>(args);
        real.replaceAll(word -> word.replaceFirst(":(6388|6389|9999)\\b", ":0"));
        switch (args.getFirst()) {
            case "socketlockd" -> {}
            case "dflockd" -> real.addAll(List.of("--port", "0"));
            case "lockd" -> {
                if (!args.contains("--unix")) {
                    real.addAll(List.of("--tcp", "0"));
                }
            }
            default -> {
                if (!args.contains("--listen")) {
                    real.addAll(List.of("--listen", "dflockd://127.0.0.1:0"));
                    real.addAll(List.of("--listen", "lockd://127.0.0.1:0"));
                }
            }
        }
        return real;
    }

    private String inFolder(String text) {
        return Example.FOLDER.matcher(text).replaceAll(folder + "/");
    }

    private static int port(Matcher listening) {
        return Integer.parseInt(listening.group(1));
    }

    private void collect() {
        try (var in =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            in.lines().forEach(log::add);
        } catch (IOException | UncheckedIOException e) {
            log.add("unreadable: " + e);
        }
        log.add(END);
    }

    /** Waits for the socket, because socketlockd logs nothing before the first event. */
    private void awaitSocket(Path socket) throws InterruptedException {
        long startNanos = System.nanoTime();
        while (!Files.exists(socket)) {
            if (!process.isAlive() || System.nanoTime() - startNanos > TIMEOUT.toNanos()) {
                close();
                throw new AssertionError("no socket at " + socket + "; only " + log);
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private Matcher await(Pattern pattern) throws InterruptedException {
        List<String> before = new ArrayList<>();
        String line = log.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        while (line != null && !line.equals(END)) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                return matcher;
            }
            before.add(line);
            line = log.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }
        close();
        throw new AssertionError("not in the log: " + pattern + "; only " + before);
    }

    /** Returns the port of dflockd. */
    int port() {
        return Objects.requireNonNull(ports.get(Example.DFLOCKD_PORT));
    }

    int httpPort() {
        return Objects.requireNonNull(ports.get(HTTP_PORT));
    }

    /** Replaces the ports and the folder in a command of a page by those of this server. */
    String here(String command) {
        String real = inFolder(command);
        for (Map.Entry<Integer, Integer> port : ports.entrySet()) {
            real = real.replace("127.0.0.1 " + port.getKey(), "127.0.0.1 " + port.getValue());
        }
        return real;
    }

    /** Sends SIGTERM and waits until the server has begun to drain. */
    void interrupt() throws InterruptedException {
        // SIGTERM, because background processes ignore SIGINT; by the handle, because
        // Process.destroy would also close the log.
        process.toHandle().destroy();
        await(DRAINING);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
        if (!Files.exists(folder)) {
            return; // already closed
        }
        try (Stream<Path> left = Files.list(folder)) {
            for (Path file : left.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
