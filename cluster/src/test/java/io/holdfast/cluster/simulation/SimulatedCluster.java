package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;
import static io.holdfast.cluster.simulation.SimulatedTime.SECOND;

import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.state.SnapshotFile;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverObserver;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.EngineSettings;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Nodes, their network, clients and faults. */
final class SimulatedCluster {
    /** The maximum drift of a clock from true time. */
    static final double DRIFT = 0.05;

    static final long SESSION = 3 * SECOND;
    static final long REQUEST_TIMEOUT = SECOND;
    static final long YEAR = 31_557_600L * SECOND;

    /** The longest pause of a process after which it still disconnects its clients in time. */
    static final long SHORT_PAUSE = SECOND / 2;

    static final ReplicatedSettings RULES =
            new ReplicatedSettings(
                    new EngineSettings(0, 300 * SECOND, true), KeyCountLimits.NONE, SESSION, 0);

    private static final DriverConfig CONFIG =
            new DriverConfig(
                    RULES.settings(),
                    KeyCountLimits.NONE,
                    Duration.ofMillis(500),
                    0,
                    MemoryBudgets.UNLIMITED,
                    DriverObserver.NONE);
    private static final long FAULTY_PHASE = 15 * SECOND;
    private static final long MAX_CALM = 60 * SECOND;

    final SimulatedTime time;
    final CommittedGrantChecker checker;
    final SimulationHistory history;
    final SimulatedRaft raft;
    final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<SimulatedClient> clients = new ArrayList<>();

    /** The pairs of nodes between which messages are lost, in one direction. */
    private final Set<List<SimulatedNode>> cuts = new HashSet<>();

    /** Whether no fault occurs that could disconnect a client. */
    private final boolean gentle;

    private final long meanFaultNanos;
    private boolean calm;
    private int lastClient;

    private SimulatedCluster(long seed) {
        time = new SimulatedTime(seed);
        history = new SimulationHistory(this);
        checker = new CommittedGrantChecker(this);
        gentle = time.chance(0.1);
        raft = new SimulatedRaft(this);
        meanFaultNanos = gentle ? 4 * SECOND : time.randomDuration(SECOND / 2, 4 * SECOND);
        int size = gentle ? 3 : time.chance(0.8) ? 3 : time.chance(0.5) ? 1 : 5;
        for (int i = 1; i <= size; i++) {
            nodes.add(new SimulatedNode("n" + i, this, raft));
        }
    }

    /** Runs one seed; throws an {@link AssertionError} if a guarantee is violated. */
    static void run(long seed) {
        SimulatedCluster simulatedCluster = new SimulatedCluster(seed);
        simulatedCluster.nodes.forEach(SimulatedNode::start);
        simulatedCluster.raft.elect();
        if (simulatedCluster.gentle) {
            simulatedCluster.time.runUntil(SECOND); // until all nodes serve
        }
        for (int i = 0; i < 3 * Math.min(3, simulatedCluster.nodes.size()); i++) {
            simulatedCluster.arriveSoon();
        }
        simulatedCluster.faultSoon();
        simulatedCluster.time.runUntil(FAULTY_PHASE);
        simulatedCluster.calmDown();
        simulatedCluster.history.check();
    }

    boolean isGentle() {
        return gentle;
    }

    // ---- the end

    private void calmDown() {
        calm = true;
        raft.calm = true;
        cuts.clear();
        for (SimulatedNode node : nodes) {
            if (!node.isAlive()) {
                node.start();
            } else if (!node.runs()) {
                node.resume();
            }
        }
        clients.forEach(SimulatedClient::finish);
        awaitThat(
                "every client has disconnected", () -> clients.stream().allMatch(c -> c.isGone()));
        SimulatedClient reader = null;
        for (int tries = 0; reader == null || !reader.hasRead(); tries++) {
            CommittedGrantChecker.check(tries < 100, "no client can read");
            if (reader == null || reader.isGone()) {
                reader = arrive(nodes.get(time.pick(0, nodes.size() - 1)), true);
            }
            time.runUntil(time.now() + SECOND / 2);
        }
        awaitThat("the reader disconnects", reader::isGone);
        awaitThat("the state of all sessions is gone", this::isEmpty);
        awaitThat("all nodes are up to date", this::isEven);
        for (SimulatedNode node : nodes) {
            checker.compareNow(node);
        }
    }

    private boolean isEmpty() {
        return checker.isEmpty()
                && nodes.stream().allMatch(node -> node.driver().openSessions() == 0);
    }

    private boolean isEven() {
        return nodes.stream().allMatch(node -> node.applied() == raft.committed().size());
    }

    private interface Condition {
        boolean holds();
    }

    private void awaitThat(String what, Condition condition) {
        long end = time.now() + MAX_CALM;
        while (!condition.holds()) {
            if (time.now() > end) {
                throw new AssertionError(
                        "condition not met in time: %s: %s"
                                .formatted(
                                        what, clients.stream().filter(c -> !c.isGone()).toList()));
            }
            time.runUntil(time.now() + SECOND / 4);
        }
    }

    // ---- clients

    List<SimulatedClient> clientsOf(SimulatedNode node) {
        return clients.stream().filter(client -> client.node == node && !client.isGone()).toList();
    }

    List<SimulatedClient> clients() {
        return clients;
    }

    /** Adds a client soon, so that their number stays about the same. */
    void arriveSoon() {
        time.after(
                time.randomDuration(0, SECOND / 2),
                () -> {
                    if (calm) {
                        return;
                    }
                    SimulatedNode node = nodes.get(time.pick(0, nodes.size() - 1));
                    // without faults, no client connects before its node serves
                    if (node.runs() && (!gentle || node.driver().isServing())) {
                        arrive(node, false);
                    } else {
                        arriveSoon();
                    }
                });
    }

    private SimulatedClient arrive(SimulatedNode node, boolean reads) {
        SimulatedClient client = new SimulatedClient(++lastClient, this, node, reads);
        clients.add(client);
        client.begin();
        return client;
    }

    // ---- network

    boolean reaches(SimulatedNode from, SimulatedNode to) {
        return cuts.isEmpty() || !cuts.contains(List.of(from, to));
    }

    boolean areConnected(SimulatedNode one, SimulatedNode other) {
        return reaches(one, other) && reaches(other, one);
    }

    private void cut(SimulatedNode from, SimulatedNode to, long durationNanos) {
        List<SimulatedNode> wire = List.of(from, to);
        cuts.add(wire);
        time.after(durationNanos, () -> cuts.remove(wire));
    }

    // ---- faults

    private void faultSoon() {
        time.after(
                gentle ? meanFaultNanos : time.randomDuration(0, 2 * meanFaultNanos),
                () -> {
                    if (!calm) {
                        injectFault();
                        faultSoon();
                    }
                });
    }

    private void injectFault() {
        SimulatedNode leader = raft.leader();
        SimulatedNode node =
                leader != null && time.chance(0.4)
                        ? leader
                        : nodes.get(time.pick(0, nodes.size() - 1));
        if (gentle) {
            raft.elect();
            return;
        }
        switch (time.pick(0, 9)) {
            case 0, 1 -> crash(node);
            case 2 -> pause(node, time.randomDuration(MILLI, SHORT_PAUSE));
            case 3 -> pause(node, time.randomDuration(SHORT_PAUSE + 1, 5 * SECOND));
            case 4, 5 -> isolate(node, time.randomDuration(SECOND / 5, 6 * SECOND));
            case 6 -> {
                SimulatedNode other = nodes.get(time.pick(0, nodes.size() - 1));
                cut(node, other, time.randomDuration(SECOND / 5, 6 * SECOND));
            }
            case 7 -> raft.elect();
            case 8 -> node.slowDown(time.randomDuration(SECOND / 5, 4 * SECOND));
            default -> {
                if (time.chance(0.2)) {
                    nodes.forEach(this::crash);
                } else if (node.runs()) {
                    node.install(nodes.get(time.pick(0, nodes.size() - 1)));
                }
            }
        }
    }

    private void crash(SimulatedNode node) {
        if (node.isAlive()) {
            node.crash();
            time.after(
                    time.randomDuration(SECOND / 10, 6 * SECOND),
                    () -> {
                        if (!node.isAlive()) {
                            node.start();
                        }
                    });
        }
    }

    private void pause(SimulatedNode node, long durationNanos) {
        if (node.runs()) {
            node.pause(durationNanos);
        }
    }

    private void isolate(SimulatedNode node, long durationNanos) {
        for (SimulatedNode other : nodes) {
            if (other != node) {
                cut(node, other, durationNanos);
                cut(other, node, durationNanos);
            }
        }
    }

    // ---- drivers and their state

    ReplicatedDriver newDriver(String name, SimulatedNode node) {
        return new ReplicatedDriver(name, RULES, CONFIG, REQUEST_TIMEOUT, node, node::clock, node);
    }

    byte[] bytes(ReplicatedDriver driver) {
        return driver.withState(CommittedGrantChecker::bytesOf);
    }

    void read(ReplicatedDriver driver, byte[] bytes) {
        driver.withState(
                replica -> {
                    try {
                        replica.read(
                                new DataInputStream(new ByteArrayInputStream(bytes)),
                                SnapshotFile.VERSION);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                    return replica;
                });
    }

    static byte[] written(Written state) {
        var bytes = new ByteArrayOutputStream();
        try {
            state.write(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }

    /** A state that can be written. */
    interface Written {
        void write(DataOutputStream out) throws IOException;
    }
}
