package io.holdfast.verification.campaign;

import io.holdfast.driver.FailureText;
import io.holdfast.verification.line.LineClient;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts a cluster, runs clients and injects faults for a while, and checks the recorded operations
 * against the guarantees of a cluster.
 */
public final class FaultCampaign {
    private static final int SOUND = 0;
    private static final int VIOLATED = 1;

    /** The maximum time until all nodes serve again after a fault has ended, on a busy machine. */
    private static final long RECOVERY_SECONDS = 120;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(10);
    private static final int MAX_PRINTED = 40;
    private static final List<String> LOCKS = List.of("gate", "door", "lid", "tap", "safe");
    private static final List<String> COUNTERS = List.of("sheep", "cows");

    private final FaultCampaignOptions options;
    private final Consumer<String> log;
    private final List<Fault> faults;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch clientsEnd = new CountDownLatch(1);
    private final OperationHistory operationHistory = new OperationHistory();
    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    private final List<CampaignNode> nodes = new ArrayList<>();
    private final Set<Integer> usedPorts = new HashSet<>();
    private final List<String> values = new ArrayList<>();
    private long start;
    private long slowestMillis;

    /**
     * @param log receives the progress, line by line
     */
    public FaultCampaign(FaultCampaignOptions options, Consumer<String> log) {
        this(options, List.of(Fault.values()), log);
    }

    /**
     * @param faults the faults to inject; each is injected once before any is repeated
     */
    public FaultCampaign(FaultCampaignOptions options, List<Fault> faults, Consumer<String> log) {
        this.options = options;
        this.faults = List.copyOf(faults);
        this.log = log;
    }

    /** Ends the campaign early, from any thread; the operations so far are still checked. */
    public void stop() {
        stopped.countDown();
    }

    /** Returns the exit status. */
    public int run() throws InterruptedException {
        log.accept(
                "soak: cluster seed=%d duration=%ds nodes=%d"
                        .formatted(
                                options.seed(), options.duration().toSeconds(), options.nodes()));
        log.accept("soak: press Ctrl-C to stop");
        start = System.nanoTime();
        try {
            Path below = options.folder();
            Path folder =
                    below == null
                            ? Files.createTempDirectory("holdfast-soak")
                            : Files.createTempDirectory(below, "soak");
            List<String> violations = inFolder(folder);
            return report(violations, folder);
        } catch (IOException e) {
            log.accept("FAIL [cluster]: " + FailureText.of(e));
            return VIOLATED;
        }
    }

    private int report(List<String> violations, Path folder) throws IOException {
        log.accept(
                "soak: %d operations: %s"
                        .formatted(operationHistory.operations(), operationHistory.summary()));
        log.accept(
                "soak: faults: "
                        + counts.entrySet().stream()
                                .map(one -> one.getValue() + " x " + one.getKey().description())
                                .collect(Collectors.joining(", ")));
        log.accept("soak: slowest recovery %.1fs".formatted(slowestMillis / 1e3));
        if (violations.isEmpty()) {
            log.accept("soak: no violations, seed " + options.seed());
            remove(folder);
            return SOUND;
        }
        violations.stream().limit(MAX_PRINTED).forEach(one -> log.accept("VIOLATION: " + one));
        log.accept(
                "FAIL [cluster]: %d violations, seed %d; the nodes' logs are in %s"
                        .formatted(violations.size(), options.seed(), folder));
        return VIOLATED;
    }

    private List<String> inFolder(Path folder) throws IOException, InterruptedException {
        boolean skewed = CampaignNode.canSkew();
        if (!skewed) {
            log.accept(
                    "soak: all nodes share one clock: this machine does not allow time namespaces");
        }
        List<Integer> nodePorts = new ArrayList<>();
        for (int i = 0; i < options.nodes(); i++) {
            nodePorts.add(port());
        }
        try (ProxiedNetwork proxiedNetwork = new ProxiedNetwork(nodePorts)) {
            for (int i = 0; i < options.nodes(); i++) {
                CampaignNode.Ports ports =
                        new CampaignNode.Ports(nodePorts.get(i), port(), port(), port());
                nodes.add(
                        new CampaignNode(
                                i, proxiedNetwork, ports, folder, skewed, options.launcher()));
            }
            return withNodes(proxiedNetwork);
        } finally {
            for (CampaignNode node : nodes) {
                node.kill();
            }
        }
    }

    private List<String> withNodes(ProxiedNetwork proxiedNetwork)
            throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(options.seed());
        FaultInjector faultInjector =
                new FaultInjector(
                        nodes,
                        proxiedNetwork,
                        operationHistory,
                        random.split(),
                        this::pause,
                        this::print);
        for (CampaignNode node : nodes) {
            faultInjector.start(node.index());
        }
        if (!recovers(faultInjector)) {
            return List.of("the cluster did not start within " + RECOVERY_SECONDS + " s");
        }
        List<Thread> clients = clients(random.split());
        injectFaults(faultInjector, random.split());
        proxiedNetwork.heal();
        boolean healed = recovers(faultInjector);
        pause(1000);
        clientsEnd.countDown();
        for (Thread client : clients) {
            client.join();
        }
        if (healed) {
            checkAgreement();
        }
        return HistoryChecker.violations(operationHistory, start);
    }

    private void injectFaults(FaultInjector faultInjector, SplittableRandom random)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + options.duration().toNanos();
        List<Fault> next = new ArrayList<>();
        boolean recovered = true;
        while (recovered && System.nanoTime() < end && stopped.getCount() > 0) {
            pause(random.nextInt(1500, 5000));
            if (next.isEmpty()) {
                next.addAll(faults);
            }
            Fault fault = next.remove(random.nextInt(next.size()));
            faultInjector.inject(fault, leader());
            counts.merge(fault, 1, Integer::sum);
            recovered = recovers(faultInjector);
        }
    }

    private int leader() {
        return statuses().stream()
                .filter(NodeStatusReading::leads)
                .max(Comparator.comparingLong(NodeStatusReading::term))
                .map(NodeStatusReading::node)
                .orElse(0);
    }

    private List<NodeStatusReading> statuses() {
        List<NodeStatusReading> statuses = new ArrayList<>();
        for (CampaignNode node : nodes) {
            @Nullable NodeStatusReading status = node.readStatus();
            if (status != null) {
                statuses.add(status);
            }
        }
        return statuses;
    }

    /** Waits until all nodes serve and have applied what was committed when the wait began. */
    private boolean recovers(FaultInjector faultInjector) throws IOException, InterruptedException {
        long waitStart = System.nanoTime();
        long committed =
                statuses().stream().mapToLong(NodeStatusReading::committed).max().orElse(0);
        List<NodeStatusReading> statuses = List.of();
        while (System.nanoTime() - waitStart < TimeUnit.SECONDS.toNanos(RECOVERY_SECONDS)) {
            for (CampaignNode node : nodes) {
                if (!node.isRunning()) {
                    operationHistory.fault(
                            "%s ended unexpectedly with status %s, at %s"
                                    .formatted(node.name(), node.exitStatus(), now()));
                    faultInjector.start(node.index());
                }
            }
            statuses = statuses();
            if (statuses.size() == nodes.size()
                    && statuses.stream().anyMatch(NodeStatusReading::leads)
                    && statuses.stream()
                            .allMatch(
                                    status -> status.serving() && status.applied() >= committed)) {
                long millis = Duration.ofNanos(System.nanoTime() - waitStart).toMillis();
                slowestMillis = Math.max(slowestMillis, millis);
                print("all nodes serving after " + millis + " ms");
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        operationHistory.fault(
                "not all nodes are serving after %d s, at %s: %s"
                        .formatted(RECOVERY_SECONDS, now(), statuses));
        return false;
    }

    private List<Thread> clients(SplittableRandom random) {
        List<CampaignClient> clients = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            values.add("value" + i);
        }
        for (int i = 0; i < nodes.size(); i++) {
            for (int j = 0; j < 4; j++) {
                clients.add(
                        new LockClient(
                                "locker" + i + "." + j,
                                nodes,
                                i,
                                operationHistory,
                                random.split(),
                                clientsEnd,
                                LOCKS,
                                j == 0));
            }
            clients.add(
                    new LockdCampaignClient(
                            "lockd" + i,
                            nodes,
                            i,
                            operationHistory,
                            random.split(),
                            clientsEnd,
                            LOCKS));
            clients.add(
                    new CounterClient(
                            "counter" + i,
                            nodes,
                            i,
                            operationHistory,
                            random.split(),
                            clientsEnd,
                            COUNTERS));
            clients.add(
                    new ValueClient(
                            "writer" + i,
                            nodes,
                            i,
                            operationHistory,
                            random.split(),
                            clientsEnd,
                            values.get(i),
                            values));
        }
        return clients.stream()
                .map(
                        campaignClient ->
                                Thread.ofPlatform()
                                        .daemon()
                                        .name(campaignClient.name)
                                        .start(campaignClient))
                .toList();
    }

    /** Waits until all nodes give the same responses, and adds these to the history. */
    private void checkAgreement() throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(RECOVERY_SECONDS);
        Map<String, String> responses = Map.of();
        while (System.nanoTime() < until) {
            responses = new TreeMap<>();
            try {
                for (String key : COUNTERS) {
                    responses.put(key, same("get", key));
                }
                for (String key : values) {
                    long requested = System.nanoTime();
                    String response = same("kget", key);
                    responses.put(key, response);
                    long value =
                            response.startsWith("ok ") ? Long.parseLong(response.substring(3)) : 0;
                    operationHistory.add(
                            new OperationHistory.Read(
                                    "the end", key, requested, System.nanoTime(), value));
                }
                for (String key : COUNTERS) {
                    String response = responses.getOrDefault(key, "");
                    operationHistory.end(key, Long.parseLong(response.substring("ok ".length())));
                }
                return;
            } catch (IOException e) {
                responses.put("problem", String.valueOf(e.getMessage()));
                TimeUnit.MILLISECONDS.sleep(300);
            }
        }
        operationHistory.fault("the nodes differ at the end: " + responses);
    }

    /** Returns the response of all nodes; throws if they differ. */
    private String same(String command, String key) throws IOException {
        String first = null;
        for (CampaignNode node : nodes) {
            try (LineClient client =
                    LineClient.connect(
                            node.ports().dflockd(), CONNECT_TIMEOUT, CampaignClient.MAX_LINE)) {
                String response = client.request(command + "\n" + key + "\n\n", READ_TIMEOUT);
                if (response.startsWith("error") || (first != null && !first.equals(response))) {
                    throw new IOException(
                            key + " is " + first + ", but " + response + " on " + node.name());
                }
                first = response;
            }
        }
        return String.valueOf(first);
    }

    private void pause(long millis) throws InterruptedException {
        boolean _ = stopped.await(millis, TimeUnit.MILLISECONDS);
    }

    private void print(String text) {
        log.accept(now() + " " + text);
    }

    private String now() {
        return "%.3fs".formatted((System.nanoTime() - start) / 1e9);
    }

    private int port() throws IOException {
        for (int i = 0; i < 100; i++) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                if (usedPorts.add(socket.getLocalPort())) {
                    return socket.getLocalPort();
                }
            }
        }
        throw new IOException("no port is free");
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
