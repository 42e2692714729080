package io.holdfast.cli.soak.cluster;

import io.holdfast.driver.FailureText;

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

/** Starts a cluster, uses and troubles it for a while, and looks whether it kept its promises. */
public final class FaultCampaign {
    private static final int SOUND = 0;
    private static final int VIOLATED = 1;

    /** How long a cluster without faults may take until all of it serves, on a busy machine. */
    private static final long RECOVERY_SECONDS = 120;

    private static final int MAX_PRINTED = 40;
    private static final List<String> LOCKS = List.of("gate", "door", "lid", "tap", "safe");
    private static final List<String> COUNTERS = List.of("sheep", "cows");

    private final FaultCampaignPlan plan;
    private final Consumer<String> log;
    private final List<Fault> faults;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch clientsEnd = new CountDownLatch(1);
    private final OperationHistory operationHistory = new OperationHistory();
    private final Map<Fault, Integer> made = new EnumMap<>(Fault.class);
    private final List<CampaignNode> nodes = new ArrayList<>();
    private final Set<Integer> taken = new HashSet<>();
    private final List<String> values = new ArrayList<>();
    private long start;
    private long slowestMillis;

    /**
     * @param log told what happens, in lines
     */
    public FaultCampaign(FaultCampaignPlan plan, Consumer<String> log) {
        this(plan, List.of(Fault.values()), log);
    }

    /**
     * @param faults those to make; each comes once before any comes again
     */
    FaultCampaign(FaultCampaignPlan plan, List<Fault> faults, Consumer<String> log) {
        this.plan = plan;
        this.faults = List.copyOf(faults);
        this.log = log;
    }

    /** Ends it early, from any thread; what was seen is checked all the same. */
    public void stop() {
        stopped.countDown();
    }

    /** Gives the exit status. */
    public int run() throws InterruptedException {
        log.accept(
                "soak: cluster seed=%d duration=%ds nodes=%d"
                        .formatted(plan.seed(), plan.duration().toSeconds(), plan.nodes()));
        log.accept("soak: press Ctrl-C to stop");
        start = System.nanoTime();
        try {
            Path below = plan.folder();
            Path folder =
                    below == null
                            ? Files.createTempDirectory("holdfast-soak")
                            : Files.createTempDirectory(below, "soak");
            List<String> violations = inFolder(folder);
            return tell(violations, folder);
        } catch (IOException e) {
            log.accept("FAIL [cluster]: " + FailureText.of(e));
            return VIOLATED;
        }
    }

    private int tell(List<String> violations, Path folder) throws IOException {
        log.accept(
                "soak: %d operations: %s"
                        .formatted(operationHistory.operations(), operationHistory.summary()));
        log.accept(
                "soak: faults: "
                        + made.entrySet().stream()
                                .map(one -> one.getValue() + " x " + one.getKey().words())
                                .collect(Collectors.joining(", ")));
        log.accept("soak: slowest recovery %.1fs".formatted(slowestMillis / 1e3));
        if (violations.isEmpty()) {
            log.accept("soak: no violations, seed " + plan.seed());
            remove(folder);
            return SOUND;
        }
        violations.stream().limit(MAX_PRINTED).forEach(one -> log.accept("VIOLATION: " + one));
        log.accept(
                "FAIL [cluster]: %d violations, seed %d; the nodes' logs are in %s"
                        .formatted(violations.size(), plan.seed(), folder));
        return VIOLATED;
    }

    private List<String> inFolder(Path folder) throws IOException, InterruptedException {
        boolean skewed = CampaignNode.canSkew();
        if (!skewed) {
            log.accept("soak: nodes share one clock: this machine has no time namespaces for us");
        }
        List<Integer> between = new ArrayList<>();
        for (int i = 0; i < plan.nodes(); i++) {
            between.add(port());
        }
        try (ProxiedNetwork proxiedNetwork = new ProxiedNetwork(between)) {
            for (int i = 0; i < plan.nodes(); i++) {
                CampaignNode.Ports ports =
                        new CampaignNode.Ports(between.get(i), port(), port(), port());
                nodes.add(new CampaignNode(i, proxiedNetwork, ports, folder, skewed));
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
        SplittableRandom random = new SplittableRandom(plan.seed());
        FaultInjector faultInjector =
                new FaultInjector(
                        nodes,
                        proxiedNetwork,
                        operationHistory,
                        random.split(),
                        this::pause,
                        this::say);
        for (CampaignNode node : nodes) {
            faultInjector.start(node.index());
        }
        if (!recovers(faultInjector)) {
            return List.of("the cluster does not start within " + RECOVERY_SECONDS + " s");
        }
        List<Thread> clients = clients(random.split());
        trouble(faultInjector, random.split());
        proxiedNetwork.heal();
        boolean healed = recovers(faultInjector);
        pause(1000);
        clientsEnd.countDown();
        for (Thread client : clients) {
            client.join();
        }
        if (healed) {
            agree();
        }
        return HistoryChecker.violations(operationHistory, start);
    }

    private void trouble(FaultInjector faultInjector, SplittableRandom random)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + plan.duration().toNanos();
        List<Fault> next = new ArrayList<>();
        boolean sound = true;
        while (sound && System.nanoTime() < end && stopped.getCount() > 0) {
            pause(random.nextInt(1500, 5000));
            if (next.isEmpty()) {
                next.addAll(faults);
            }
            Fault fault = next.remove(random.nextInt(next.size()));
            faultInjector.make(fault, leader());
            made.merge(fault, 1, Integer::sum);
            sound = recovers(faultInjector);
        }
    }

    private int leader() {
        return views().stream()
                .filter(NodeStatusReading::leads)
                .max(Comparator.comparingLong(NodeStatusReading::term))
                .map(NodeStatusReading::node)
                .orElse(0);
    }

    private List<NodeStatusReading> views() {
        List<NodeStatusReading> views = new ArrayList<>();
        for (CampaignNode node : nodes) {
            @Nullable NodeStatusReading view = node.view();
            if (view != null) {
                views.add(view);
            }
        }
        return views;
    }

    /** Waits until all nodes serve and have what was decided when it began to wait. */
    private boolean recovers(FaultInjector faultInjector) throws IOException, InterruptedException {
        long began = System.nanoTime();
        long decided = views().stream().mapToLong(NodeStatusReading::committed).max().orElse(0);
        List<NodeStatusReading> views = List.of();
        while (System.nanoTime() - began < TimeUnit.SECONDS.toNanos(RECOVERY_SECONDS)) {
            for (CampaignNode node : nodes) {
                if (!node.isRunning()) {
                    operationHistory.fault(
                            "%s ended by itself with status %s, at %s"
                                    .formatted(node.name(), node.status(), now()));
                    faultInjector.start(node.index());
                }
            }
            views = views();
            if (views.size() == nodes.size()
                    && views.stream().anyMatch(NodeStatusReading::leads)
                    && views.stream()
                            .allMatch(view -> view.serving() && view.applied() >= decided)) {
                long millis = Duration.ofNanos(System.nanoTime() - began).toMillis();
                slowestMillis = Math.max(slowestMillis, millis);
                say("all nodes serve after " + millis + " ms");
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        operationHistory.fault(
                "not all nodes serve after %d s, at %s: %s"
                        .formatted(RECOVERY_SECONDS, now(), views));
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

    /** All nodes give the same answers by the log, and these become part of the history. */
    private void agree() throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(RECOVERY_SECONDS);
        Map<String, String> answers = Map.of();
        while (System.nanoTime() < until) {
            answers = new TreeMap<>();
            try {
                for (String key : COUNTERS) {
                    answers.put(key, same("get", key));
                }
                for (String key : values) {
                    long asked = System.nanoTime();
                    String answer = same("kget", key);
                    answers.put(key, answer);
                    long value = answer.startsWith("ok ") ? Long.parseLong(answer.substring(3)) : 0;
                    operationHistory.add(
                            new OperationHistory.Read(
                                    "the end", key, asked, System.nanoTime(), value));
                }
                for (String key : COUNTERS) {
                    String answer = answers.getOrDefault(key, "");
                    operationHistory.end(key, Long.parseLong(answer.substring("ok ".length())));
                }
                return;
            } catch (IOException e) {
                answers.put("problem", String.valueOf(e.getMessage()));
                TimeUnit.MILLISECONDS.sleep(300);
            }
        }
        operationHistory.fault("the nodes do not agree in the end: " + answers);
    }

    /** What all nodes answer; throws if they differ. */
    private String same(String command, String key) throws IOException {
        String first = null;
        for (CampaignNode node : nodes) {
            try (RequestSocket line = new RequestSocket(node.index(), node.ports().dflockd())) {
                String answer = line.ask(command + "\n" + key + "\n\n", 10_000);
                if (answer.startsWith("error") || (first != null && !first.equals(answer))) {
                    throw new IOException(
                            key + " is " + first + ", but " + node.name() + " says " + answer);
                }
                first = answer;
            }
        }
        return String.valueOf(first);
    }

    private void pause(long millis) throws InterruptedException {
        boolean _ = stopped.await(millis, TimeUnit.MILLISECONDS);
    }

    private void say(String text) {
        log.accept(now() + " " + text);
    }

    private String now() {
        return "%.3fs".formatted((System.nanoTime() - start) / 1e9);
    }

    private int port() throws IOException {
        for (int i = 0; i < 100; i++) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                if (taken.add(socket.getLocalPort())) {
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
