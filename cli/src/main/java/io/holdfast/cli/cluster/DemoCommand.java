package io.holdfast.cli.cluster;

import io.holdfast.cli.process.SignalHandlers;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code holdfast cluster demo}: runs three nodes on this machine until Ctrl-C. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        description = {
            "Runs a demo cluster of three nodes on this machine. Ctrl-C stops it.",
            "",
            "A node that exits is restarted after a few seconds, so you can kill one and watch the"
                    + " failover."
        })
final class DemoCommand implements Callable<Integer> {
    private static final int NODES = 3;
    private static final int FIRST_LOG = 6391;
    private static final int FIRST_DFLOCKD = 6388;
    private static final int STEP = 10;

    @Option(
            names = "--data-dir",
            paramLabel = "FOLDER",
            description =
                    "Where the nodes store their data (default: a temporary folder, removed at the"
                            + " end).")
    private @Nullable Path folder;

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger serving = new AtomicInteger();
    private final Set<Integer> taken = new HashSet<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        SignalHandlers.Registration _ = SignalHandlers.onEnd(_ -> end.countDown());
        Path data = folder == null ? Files.createTempDirectory("holdfast-demo") : folder;
        try {
            return run(data);
        } finally {
            if (folder == null) {
                remove(data);
            }
        }
    }

    private int run(Path data) throws IOException, InterruptedException {
        Files.createDirectories(data);
        List<DemoNode> nodes = new ArrayList<>();
        String cluster = members(data);
        Path secret = secret(data);
        for (int i = 0; i < NODES; i++) {
            nodes.add(
                    new DemoNode(
                            "n" + (i + 1),
                            cluster,
                            data.resolve("n" + (i + 1)),
                            secret,
                            port(FIRST_DFLOCKD + i * STEP),
                            port(FIRST_DFLOCKD + 1 + i * STEP),
                            end,
                            () -> printInstructions(nodes, cluster, secret)));
        }
        List<Thread> running = nodes.stream().map(DemoNode::start).toList();
        end.await();
        Printer.out("stopping ...");
        nodes.forEach(DemoNode::stop);
        for (Thread node : running) {
            node.join();
        }
        return 0;
    }

    /** Returns the members of an earlier run with this data, because the data names its members. */
    private String members(Path data) throws IOException {
        Path membersFile = data.resolve("cluster");
        if (Files.exists(membersFile)) {
            return Files.readString(membersFile).strip();
        }
        List<String> members = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            members.add("n" + (i + 1) + "=127.0.0.1:" + port(FIRST_LOG + i));
        }
        String cluster = String.join(",", members);
        Files.writeString(membersFile, cluster + "\n");
        return cluster;
    }

    /** Returns the file with the secret of the nodes, which only its owner may read. */
    private static Path secret(Path data) throws IOException {
        Path file = data.resolve("secret").toAbsolutePath();
        if (!Files.exists(file)) {
            byte[] secret = new byte[32];
            new SecureRandom().nextBytes(secret);
            Path created = Files.createTempFile(data, "secret", ".new"); // for its owner only
            Files.writeString(created, HexFormat.of().formatHex(secret) + "\n");
            Files.move(created, file);
        }
        return file;
    }

    /** Returns the preferred port, or any free port if it is in use. */
    private int port(int preferred) throws IOException {
        for (int port : new int[] {preferred, 0, 0, 0}) {
            try (ServerSocket socket =
                    new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                if (taken.add(socket.getLocalPort())) {
                    return socket.getLocalPort();
                }
            } catch (IOException e) {
                // in use
            }
        }
        throw new IOException("no port is free");
    }

    private void printInstructions(List<DemoNode> nodes, String cluster, Path secret) {
        if (serving.incrementAndGet() != NODES) {
            return;
        }
        DemoNode first = nodes.getFirst();
        DemoNode last = nodes.getLast();
        Printer.out("");
        Printer.out("The three nodes are serving. In another terminal, try:");
        Printer.out("");
        Printer.out("  ./holdfast cluster status --cluster " + cluster);
        Printer.out(
                "  ./holdfast cluster transfer "
                        + last.name()
                        + " --cluster "
                        + cluster
                        + " --cluster-secret-file '"
                        + secret
                        + "'");
        Printer.out(
                "  ./holdfast lock --server 127.0.0.1:" + first.port() + " deploy -- sleep 60 &");
        Printer.out("  ./holdfast lock --server 127.0.0.1:" + last.port() + " deploy -- echo mine");
        Printer.out(
                "  kill -9 PID of one of:  "
                        + nodes.stream()
                                .map(node -> node.name() + " " + node.pid())
                                .collect(Collectors.joining(", ")));
        Printer.out("");
        for (DemoNode node : nodes) {
            Printer.out(
                    "  "
                            + node.name()
                            + ": dflockd on 127.0.0.1:"
                            + node.port()
                            + ", dashboard on http://127.0.0.1:"
                            + node.httpPort()
                            + "/");
        }
        Printer.out("");
        Printer.out("Ctrl-C stops all nodes.");
        Printer.out("");
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
