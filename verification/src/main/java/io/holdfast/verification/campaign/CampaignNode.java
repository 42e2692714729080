package io.holdfast.verification.campaign;

import io.holdfast.console.json.JsonValue;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A node in a process of its own, which can be killed, suspended and restarted. */
final class CampaignNode {
    private static final int HTTP_TIMEOUT_MILLIS = 2000;
    private static final long END_SECONDS = 30;

    private final int index;
    private final ProxiedNetwork proxiedNetwork;
    private final Ports ports;
    private final Path folder;
    private final boolean skewed;
    private final Class<?> launcher;
    private volatile @Nullable Process process;

    /** The ports on which a node listens for the other nodes and for its clients. */
    record Ports(int nodes, int dflockd, int lockd, int http) {}

    /**
     * @param folder the folder of its data and its log
     * @param skewed whether each start of the node gets another monotonic clock
     * @param launcher see {@link FaultCampaignOptions}
     */
    CampaignNode(
            int index,
            ProxiedNetwork proxiedNetwork,
            Ports ports,
            Path folder,
            boolean skewed,
            Class<?> launcher) {
        this.index = index;
        this.proxiedNetwork = proxiedNetwork;
        this.ports = ports;
        this.folder = folder;
        this.skewed = skewed;
        this.launcher = launcher;
    }

    int index() {
        return index;
    }

    String name() {
        return "n" + (index + 1);
    }

    Ports ports() {
        return ports;
    }

    /**
     * Starts it.
     *
     * @param clockSeconds how far its monotonic clock is ahead, in seconds; ignored if the clock
     *     cannot be skewed
     */
    void start(long clockSeconds) throws IOException {
        Files.createDirectories(folder);
        Path hosts = folder.resolve(name() + ".hosts");
        proxiedNetwork.writeHosts(index, hosts);
        process =
                new ProcessBuilder(command(hosts, clockSeconds))
                        .redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(
                                        folder.resolve(name() + ".log").toFile()))
                        .start();
    }

    private List<String> command(Path hosts, long clockSeconds) {
        List<String> command = new ArrayList<>();
        command.addAll(List.of("sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
        if (skewed) {
            command.addAll(List.of("unshare", "--time", "--monotonic", "" + clockSeconds));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx192m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Djdk.net.hosts.file=" + hosts,
                        "-cp",
                        System.getProperty("java.class.path"),
                        launcher.getName(),
                        "serve",
                        "--cluster",
                        proxiedNetwork.members(),
                        "--node",
                        name(),
                        "--data-dir",
                        folder.resolve(name()).toString(),
                        "--listen",
                        "dflockd://127.0.0.1:" + ports.dflockd(),
                        "--listen",
                        "lockd://127.0.0.1:" + ports.lockd(),
                        "--listen",
                        "http://127.0.0.1:" + ports.http(),
                        "--shutdown-timeout",
                        "1"));
        return command;
    }

    /** Whether this machine allows a process to have another monotonic clock (a time namespace). */
    static boolean canSkew() throws InterruptedException {
        try {
            return new ProcessBuilder("unshare", "--time", "--monotonic", "1", "true")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    boolean isRunning() {
        Process running = process;
        return running != null && running.isAlive();
    }

    /** The exit status of the process; "none" if it has not ended. */
    String exitStatus() {
        Process last = process;
        return last == null || last.isAlive() ? "none" : "" + last.exitValue();
    }

    /**
     * Kills the process, as a power failure would, except that the operating system still writes
     * its buffers.
     */
    void kill() throws InterruptedException {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().waitFor();
        }
    }

    /** Shuts the node down gracefully; returns false if it did not exit in time and was killed. */
    boolean shutDown() throws InterruptedException {
        Process running = process;
        if (running == null) {
            return true;
        }
        running.destroy();
        if (running.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            return true;
        }
        kill();
        return false;
    }

    void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    /**
     * Makes all further writes of the process to files fail; returns false if this machine does not
     * allow that.
     */
    boolean refuseWrites() throws InterruptedException {
        Process running = process;
        if (running == null) {
            return false;
        }
        try {
            return new ProcessBuilder("prlimit", "--pid", "" + running.pid(), "--fsize=0")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private void signal(String name) throws IOException, InterruptedException {
        Process running = process;
        if (running != null && running.isAlive()) {
            new ProcessBuilder("/bin/sh", "-c", "kill -s " + name + " " + running.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        }
    }

    /** Queries the status of the node; returns null if there is no valid response. */
    @Nullable NodeStatusReading readStatus() {
        if (!isRunning()) {
            return null;
        }
        try {
            URI uri = URI.create("http://127.0.0.1:" + ports.http() + "/v1/cluster");
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
            connection.setConnectTimeout(HTTP_TIMEOUT_MILLIS);
            connection.setReadTimeout(HTTP_TIMEOUT_MILLIS);
            try (var in = connection.getInputStream()) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                if (!(JsonValue.parse(text) instanceof JsonValue.ObjectValue objectValue)) {
                    return null;
                }
                return new NodeStatusReading(
                        index,
                        objectValue.text("role"),
                        (long) objectValue.number("term"),
                        (long) objectValue.number("commit_index"),
                        (long) objectValue.number("applied_index"),
                        text.contains("\"serving\":true"));
            } finally {
                connection.disconnect();
            }
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }
}
