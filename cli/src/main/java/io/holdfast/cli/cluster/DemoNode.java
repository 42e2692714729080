package io.holdfast.cli.cluster;

import io.holdfast.console.output.Printer;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A node in its own process, which is restarted when it exits. */
final class DemoNode {
    private static final long PAUSE_SECONDS = 5;

    private final String name;
    private final String cluster;
    private final Path data;
    private final Path secret;
    private final int port;
    private final int httpPort;
    private final CountDownLatch end;
    private final Runnable served;
    private boolean hasServed;
    private volatile @Nullable Process process;

    /**
     * @param secret the file with the secret of the cluster
     * @param end reaches zero when the demo ends; then the process is not restarted
     * @param served called once, when the node serves for the first time
     */
    DemoNode(
            String name,
            String cluster,
            Path data,
            Path secret,
            int port,
            int httpPort,
            CountDownLatch end,
            Runnable served) {
        this.name = name;
        this.cluster = cluster;
        this.data = data;
        this.secret = secret;
        this.port = port;
        this.httpPort = httpPort;
        this.end = end;
        this.served = served;
    }

    String name() {
        return name;
    }

    int port() {
        return port;
    }

    int httpPort() {
        return httpPort;
    }

    long pid() {
        Process running = process;
        return running == null ? 0 : running.pid();
    }

    Thread start() {
        return Thread.ofPlatform().name("holdfast-demo-" + name).start(this::run);
    }

    /** Sends the node a SIGTERM, so that it shuts down gracefully. */
    void stop() {
        Process running = process;
        if (running != null) {
            running.destroy();
        }
    }

    private void run() {
        try {
            while (end.getCount() > 0) {
                Process started = new ProcessBuilder(command()).redirectErrorStream(true).start();
                process = started;
                if (hasServed) {
                    Printer.out(name + " | restarted, process " + started.pid());
                }
                if (end.getCount() == 0) {
                    started.destroy();
                }
                printOutput(started);
                int status = started.waitFor();
                if (end.getCount() > 0) {
                    Printer.out(name + " | exited with status " + status + ", restarting");
                    boolean _ = end.await(PAUSE_SECONDS, TimeUnit.SECONDS);
                }
            }
        } catch (IOException e) {
            if (end.getCount()
                    > 0) { // otherwise stopping the process closed the stream that is being read
                Printer.err(name + " | cannot be started: " + FailureText.of(e));
            }
            end.countDown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void printOutput(Process started) throws IOException {
        try (BufferedReader lines = started.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Printer.out(name + " | " + Printer.printable(line));
                if (!hasServed && line.contains("msg=listening") && line.contains("=http")) {
                    hasServed = true;
                    served.run();
                }
            }
        }
    }

    /**
     * The child ignores SIGINT and SIGHUP, which a terminal sends to the group: the parent stops
     * it.
     */
    private List<String> command() {
        List<String> command = new ArrayList<>();
        command.addAll(List.of("sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.holdfast.cli.Main",
                        "serve",
                        "--cluster",
                        cluster,
                        "--node",
                        name,
                        "--data-dir",
                        data.toString(),
                        "--cluster-secret-file",
                        secret.toString(),
                        "--listen",
                        "dflockd://127.0.0.1:" + port,
                        "--listen",
                        "http://127.0.0.1:" + httpPort,
                        "--shutdown-timeout",
                        "1"));
        return command;
    }
}
