package io.holdfast.cluster.bootstrap;

import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.rpc.TestService;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverObserver;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.EngineSettings;
import io.holdfast.testsupport.FreePorts;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Nodes of one cluster in this process. */
public final class TestCluster implements AutoCloseable {
    private static final String CLUSTER = "test";
    static final DriverConfig DEFAULT_CONFIG =
            new DriverConfig(
                    new EngineSettings(0, Duration.ofSeconds(60).toNanos(), true),
                    KeyCountLimits.NONE,
                    Duration.ofSeconds(1),
                    0,
                    MemoryBudgets.UNLIMITED,
                    DriverObserver.NONE);

    private final String cluster;
    private final Path directory;
    private final @Nullable ClusterTls tls;
    private final DriverConfig driver;
    private final List<NodeAddress> members;
    private Duration checkInterval = Duration.ZERO;
    private final Map<String, ClusterNode> nodes = new ConcurrentSkipListMap<>();
    private final List<Thread> starting = new CopyOnWriteArrayList<>();

    /** Where nodes listen that do not listen at their address in {@link #members}. */
    private final Map<String, NodeAddress> listening = new ConcurrentSkipListMap<>();

    private final Map<String, KnownVersions> versions = new ConcurrentHashMap<>();

    public TestCluster(Path directory, String... names) {
        this(CLUSTER, directory, null, DEFAULT_CONFIG, names);
    }

    /**
     * @param tls null for connections without TLS
     */
    public TestCluster(Path directory, @Nullable ClusterTls tls, String... names) {
        this(CLUSTER, directory, tls, DEFAULT_CONFIG, names);
    }

    /**
     * @param cluster a name that no other cluster in this process has
     * @param driver the configuration of the nodes' drivers
     */
    public TestCluster(String cluster, Path directory, DriverConfig driver, String... names) {
        this(cluster, directory, null, driver, names);
    }

    private TestCluster(
            String cluster,
            Path directory,
            @Nullable ClusterTls tls,
            DriverConfig driver,
            String... names) {
        this.cluster = cluster;
        this.directory = directory;
        this.tls = tls;
        this.driver = driver;
        List<NodeAddress> all = new ArrayList<>();
        for (String name : names) {
            all.add(new NodeAddress(name, "127.0.0.1", FreePorts.next()));
        }
        this.members = List.copyOf(all);
    }

    /** Lets a node know other versions from its next start on. */
    public void install(String name, KnownVersions known) {
        versions.put(name, known);
    }

    /** Sets how often the nodes that are started from now on compare their states. */
    void checkEvery(Duration interval) {
        checkInterval = interval;
    }

    /** Starts nodes at the same time, and returns when they serve. */
    public void start(String... names) {
        start(members, false, names);
    }

    /**
     * Starts a node that joins a cluster: it serves once it has been added.
     *
     * @param known nodes of the cluster
     */
    public CompletableFuture<ClusterNode> join(String name, List<NodeAddress> known) {
        return begin(name, known, true);
    }

    /** Begins to start a node, which completes when it serves. */
    public CompletableFuture<ClusterNode> begin(String name, List<NodeAddress> known) {
        return begin(name, known, false);
    }

    private CompletableFuture<ClusterNode> begin(
            String name, List<NodeAddress> known, boolean joining) {
        return CompletableFuture.supplyAsync(
                        () -> startOne(name, known, joining),
                        task -> starting.add(Thread.startVirtualThread(task)))
                .whenComplete(
                        (node, failure) -> {
                            if (failure == null) {
                                nodes.put(name, node);
                            }
                        });
    }

    /** Starts nodes with a given list of members. */
    public void start(List<NodeAddress> known, String... names) {
        start(known, false, names);
    }

    private void start(List<NodeAddress> known, boolean joining, String... names) {
        List<CompletableFuture<ClusterNode>> starting = new ArrayList<>();
        for (String name : names) {
            starting.add(
                    CompletableFuture.supplyAsync(
                            () -> startOne(name, known, joining), Thread::startVirtualThread));
        }
        for (CompletableFuture<ClusterNode> node : starting) {
            ClusterNode started = node.orTimeout(60, TimeUnit.SECONDS).join();
            nodes.put(started.config().node(), started);
        }
    }

    private ClusterNode startOne(String name, List<NodeAddress> known, boolean joining) {
        ClusterConfig config =
                ClusterConfig.builder(known, name, directory.resolve(name))
                        .name(cluster)
                        .joining(joining)
                        .tls(tls)
                        .secret(TestService.SECRET)
                        .bind(own(name))
                        .checkInterval(checkInterval)
                        .versions(versions.getOrDefault(name, KnownVersions.CURRENT))
                        .build();
        try {
            return ClusterNode.start(
                    config,
                    driver,
                    failure -> {
                        throw new IllegalStateException(failure);
                    });
        } catch (ClusterException e) {
            throw new CompletionException(e);
        }
    }

    /** Where a node listens, whatever its address in a list of members is. */
    private NodeAddress own(String name) {
        NodeAddress other = listening.get(name);
        return other != null
                ? other
                : members.stream()
                        .filter(node -> node.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }

    /** Lets a node listen elsewhere from its next start on. */
    public void listenAt(NodeAddress address) {
        listening.put(address.name(), address);
    }

    public List<NodeAddress> members() {
        return members;
    }

    /** Returns the data directory of a node. */
    public Path data(String name) {
        return directory.resolve(name);
    }

    public ClusterNode node(String name) {
        ClusterNode node = nodes.get(name);
        if (node == null) {
            throw new IllegalArgumentException("not started: " + name);
        }
        return node;
    }

    /** Returns the leader; on a busy machine there may be none for a moment. */
    public ClusterNode leader() {
        return await().atMost(Duration.ofSeconds(60))
                .until(
                        () ->
                                nodes.values().stream()
                                        .filter(node -> node.status().role().equals("leader"))
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    /** Returns a node that is not the leader. */
    public ClusterNode follower() {
        return nodes.values().stream()
                .filter(node -> !node.status().role().equals("leader"))
                .findFirst()
                .orElseThrow();
    }

    public void stop(String name) {
        nodes.remove(name).close();
    }

    @Override
    public void close() {
        starting.forEach(Thread::interrupt); // a node that waits for others ends
        for (Thread thread : starting) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        nodes.values().forEach(node -> node.close(Duration.ZERO));
        nodes.clear();
    }
}
