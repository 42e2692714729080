package io.holdfast.verification.training;

import io.holdfast.console.output.Printer;
import io.holdfast.verification.line.LineClient;

import picocli.CommandLine.Command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs the code paths of a starting server, so that the build can record them for the ahead-of-time
 * cache that makes later starts fast. Not for users.
 */
@Command(
        name = "train",
        hidden = true,
        description = "Runs the workload that the start-up cache is recorded from.")
public final class AotTrainingCommand implements Callable<Integer> {
    private static final int ROUNDS = 20_000;
    private static final int HTTP_ROUNDS = 200;
    private static final List<String> NODES = List.of("n1", "n2", "n3");
    private static final int CLUSTER_CLIENTS = 48;
    private static final int CLUSTER_ROUNDS = 600;
    private static final int CLUSTER_SECONDS = 120;
    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: *([0-9]+)");
    private static final int CONNECT_TRIES = 2000;
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** Runs a command in this process. */
    @FunctionalInterface
    public interface Launcher {
        /** Returns the exit status; the command sees only these variables. */
        int run(List<String> arguments, Map<String, String> environment);
    }

    private final Launcher launcher;

    public AotTrainingCommand(Launcher launcher) {
        this.launcher = launcher;
    }

    @Override
    public Integer call() throws Exception {
        launcher.run(List.of("dflockd", "--help"), Map.of());
        launcher.run(List.of("lockd", "--help"), Map.of());
        launcher.run(List.of("socketlockd", "--help"), Map.of());
        Path folder = Files.createTempDirectory("holdfast-train");
        try {
            useLockFile(folder.resolve("lock").toString());
            Integer status = train(folder.resolve("socket"));
            try {
                trainCluster(folder);
            } catch (Exception e) { // the cache then lacks the cluster's classes
                Printer.err("the cluster was not trained: " + e);
            }
            return status;
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private void useLockFile(String lock) {
        for (String command :
                List.of(
                        "status",
                        "try --tag train",
                        "try",
                        "acquire --timeout 0.05",
                        "wait --timeout 0",
                        "status --json",
                        "clean",
                        "release",
                        "acquire --json",
                        "release --force",
                        "run -- true",
                        "run -- true")) {
            List<String> args = new ArrayList<>(List.of(command.split(" ")));
            args.add(1, lock);
            args.addFirst("file");
            launcher.run(args, Map.of());
        }
    }

    private void useServer(String address) {
        for (String command :
                List.of(
                        "lock k --timeout 5 -- true",
                        "lock k --timeout 0 --lease 10 --label train -v -- true",
                        "lock k --read -- true",
                        "sem k 2 -- true",
                        "lead k --once -- true",
                        "kv put k v",
                        "kv get k",
                        "kv delete k",
                        "counter add k 2",
                        "counter get k",
                        "list push k v",
                        "list range k",
                        "list pop k",
                        "signal a.b c",
                        "listen a.* --timeout 10ms",
                        "info k",
                        "info k --json",
                        "stats",
                        "stats --json")) {
            launcher.run(List.of(command.split(" ")), Map.of("HOLDFAST_SERVER", address));
        }
    }

    /** Uses plain sockets: the classes of an HTTP client would only enlarge the cache. */
    private static void driveHttp(int port) throws IOException, InterruptedException {
        try (LineClient client = connect(port)) {
            for (int i = 0; i < HTTP_ROUNDS; i++) {
                for (String path :
                        List.of("/", "/health", "/metrics", "/v1/overview", "/v1/keys")) {
                    sendHttp(client, "GET " + path, "");
                }
                sendHttp(
                        client,
                        "POST /v1/leases/key" + i,
                        "{\"acquire_timeout_s\":1,\"lease_ttl_s\":1}");
            }
        }
    }

    private static void sendHttp(LineClient client, String what, String body) throws IOException {
        client.write(
                what
                        + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body);
        long length = 0;
        String line = client.readLine(TIMEOUT);
        while (!line.equals("\r")) {
            Matcher found = LENGTH.matcher(line);
            if (found.find()) {
                length = Long.parseLong(found.group(1));
            }
            line = client.readLine(TIMEOUT);
        }
        client.skip(length);
    }

    private Integer train(Path socketlock) throws Exception {
        int port = freePort();
        int lockdPort = freePort();
        int httpPort = freePort();
        String urls =
                "dflockd://127.0.0.1:"
                        + port
                        + ",lockd://127.0.0.1:"
                        + lockdPort
                        + "?allow-dump=true&enable-registry=true,http://127.0.0.1:"
                        + httpPort
                        + ",socketlock://"
                        + socketlock;
        CompletableFuture<Integer> server = serve("--restart-quarantine", "0", "--listen", urls);
        connect(port).close(); // a connection that sends nothing
        useServer("127.0.0.1:" + port);
        try (LineClient client = connect(port)) {
            drive(client);
            driveHttp(httpPort);
        }
        try (LineClient client = connect(lockdPort)) {
            driveLockd(client);
        }
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socketlock))) {
            driveSocketlock(channel);
        }
        raiseTerm();
        return server.get(10, TimeUnit.SECONDS);
    }

    private CompletableFuture<Integer> serve(String... flags) {
        List<String> args = new ArrayList<>(List.of(flags));
        args.addFirst("serve");
        return CompletableFuture.supplyAsync(
                () -> launcher.run(args, Map.of()),
                task ->
                        Thread.ofPlatform()
                                .daemon()
                                .start(task)); // not the common pool, whose threads others need
    }

    /** Runs three nodes in this process, so that leader and follower code is recorded. */
    private void trainCluster(Path folder) throws Exception {
        List<Integer> ports = new ArrayList<>();
        List<String> members = new ArrayList<>();
        for (String node : NODES) {
            ports.add(freePort());
            members.add(node + "=127.0.0.1:" + freePort());
        }
        List<CompletableFuture<Integer>> servers = new ArrayList<>();
        for (String node : NODES) {
            servers.add(
                    serve(
                            "--no-http",
                            "--listen",
                            "dflockd://127.0.0.1:" + ports.get(servers.size()),
                            "--cluster",
                            String.join(",", members),
                            "--node",
                            node,
                            "--data-dir",
                            folder.resolve(node).toString()));
        }
        try {
            driveCluster(ports);
        } finally {
            raiseTerm();
            for (CompletableFuture<Integer> server : servers) {
                server.get(20, TimeUnit.SECONDS);
            }
        }
    }

    private static void driveCluster(List<Integer> ports) throws Exception {
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < CLUSTER_CLIENTS; i++) {
            int port = ports.get(i % ports.size());
            clients.add(
                    CompletableFuture.runAsync(
                            () -> driveCluster(port),
                            task -> Thread.ofPlatform().daemon().start(task)));
        }
        for (CompletableFuture<Void> client : clients) {
            client.get(CLUSTER_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static void driveCluster(int port) {
        String key = Thread.currentThread().threadId() + "";
        try (LineClient client = connect(port)) {
            for (int i = 0; i < CLUSTER_ROUNDS; i++) {
                String granted = client.request("l\n" + key + "\n5 10\n", TIMEOUT);
                client.request("r\n" + key + "\n" + granted.substring(3, 35) + "\n", TIMEOUT);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends this process a SIGTERM: its servers shut down. */
    private static void raiseTerm() throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal"); // not in the documented API
        Object term = signal.getConstructor(String.class).newInstance("TERM");
        signal.getMethod("raise", signal).invoke(null, term);
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    private static LineClient connect(int port) throws IOException, InterruptedException {
        for (int i = 0; ; i++) {
            try {
                return LineClient.connect(port, TIMEOUT);
            } catch (IOException e) {
                if (i == CONNECT_TRIES) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
    }

    private static void drive(LineClient client) throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            String granted = client.request("l\nkey" + i % 100 + "\n5 10\n", TIMEOUT);
            client.request("r\nkey" + i % 100 + "\n" + granted.substring(3, 35) + "\n", TIMEOUT);
        }
        for (String request :
                List.of(
                        "sl\ns\n1 2\n",
                        "e\nq\n\n",
                        "w\nq\n1\n",
                        "l\nq\n0\n",
                        "ping\n\n\n",
                        "nope\n\n\n",
                        "incr\nc\n1\n",
                        "kset\nv\nx 1\n",
                        "kget\nv\n\n",
                        "rpush\nl\nx\n",
                        "lrange\nl\n0 -1\n",
                        "lpop\nl\n\n",
                        "listen\na.*\n\n",
                        "signal\na.b\nx\n",
                        "unlisten\na.*\n\n", // the line read for this request is the pushed signal
                        "stats\n\n\n")) {
            client.request(request, TIMEOUT);
        }
    }

    private static void driveLockd(LineClient client) throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            client.request("g key" + i % 100 + "\n", TIMEOUT);
            client.request("r key" + i % 100 + "\n", TIMEOUT);
        }
        for (String command :
                List.of("i a", "sg a", "si a", "sr a", "g a", "d", "dump", "dump shared", "me")) {
            client.request(command + "\n", TIMEOUT);
        }
    }

    private static void driveSocketlock(SocketChannel channel) throws IOException {
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                Channels.newInputStream(channel), StandardCharsets.US_ASCII))) {
            send(channel, in, "I HELLO\n");
            for (int i = 0; i < ROUNDS / 2; i++) {
                send(channel, in, "I REQ" + (i % 2 == 0 ? "READ" : "WRITE") + " l 5\n");
                send(channel, in, "I CONFIRM l\nI STATUS l\n");
                send(channel, in, "I RELEASE l\nI PING\n");
            }
            channel.write(ByteBuffer.wrap("I EOL\n".getBytes(StandardCharsets.US_ASCII)));
        }
    }

    private static void send(SocketChannel channel, BufferedReader in, String lines)
            throws IOException {
        channel.write(ByteBuffer.wrap(lines.getBytes(StandardCharsets.US_ASCII)));
        if (in.readLine() == null) {
            throw new IOException("the server closed the connection");
        }
    }
}
