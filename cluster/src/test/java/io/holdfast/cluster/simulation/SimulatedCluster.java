package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.SECOND;

import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.state.Replica;
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
import java.util.List;

/** Nodes, their network, clients and faults. */
final class SimulatedCluster {
    /** The maximum drift of a clock from true time. */
    static final double DRIFT = 0.05;

    static final long SESSION = 3 * SECOND;
    static final long REQUEST_TIMEOUT = SECOND;
    static final long CHECK_INTERVAL = SECOND / 4;
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
    private static final long STABLE = 2 * SECOND;

    final SimulatedTime time;
    final SimulationHistory history;
    final SimulatedNetwork network;
    final SimulatedFormation formation;
    final SimulatedFaults faults;
    final SimulatedRaft raft;
    final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<SimulatedClient> clients = new ArrayList<>();

    /** Whether no fault occurs that could disconnect a client. */
    private final boolean gentle;

    private final BrokenRule broken;
    private final long meanFaultNanos;
    private CommittedGrantChecker checker;
    private boolean calm;
    private int lastClient;
    private long termAfterFaults;
    private long maxLagNanos;

    private SimulatedCluster(
            long seed, BrokenRule broken, List<SimulatedFaults.Fault> profile, boolean shared) {
        boolean all = profile == SimulatedFaults.ALL;
        this.broken = broken;
        time = new SimulatedTime(seed);
        history = new SimulationHistory(this);
        checker = new CommittedGrantChecker(this);
        gentle = all && time.chance(0.1);
        raft = new SimulatedRaft(this);
        network = new SimulatedNetwork(time, shared || (all && time.chance(0.2)), broken);
        formation = new SimulatedFormation(this, broken);
        faults = new SimulatedFaults(this, profile, broken);
        meanFaultNanos =
                gentle ? 4 * SECOND : all ? time.randomDuration(SECOND / 2, 4 * SECOND) : SECOND;
        int size = gentle || !all ? 3 : time.chance(0.8) ? 3 : time.chance(0.5) ? 1 : 5;
        for (int i = 1; i <= size; i++) {
            nodes.add(new SimulatedNode(SimulatedFaults.address(i), this));
        }
    }

    /** Runs one seed; throws an {@link AssertionError} if a guarantee is violated. */
    static SimulatedCluster run(long seed) {
        return run(seed, BrokenRule.NONE, SimulatedFaults.ALL, false);
    }

    /**
     * Runs one seed with some faults only, or against the rules.
     *
     * @param profile the kinds of faults, of which one is chosen at a time
     * @param shared whether heartbeats always wait behind bulk data
     */
    static SimulatedCluster run(
            long seed, BrokenRule broken, List<SimulatedFaults.Fault> profile, boolean shared) {
        SimulatedCluster cluster = new SimulatedCluster(seed, broken, profile, shared);
        cluster.run();
        return cluster;
    }

    private void run() {
        nodes.forEach(SimulatedNode::start);
        nodes.forEach(formation::step);
        raft.elect();
        if (gentle) {
            time.runUntil(SECOND); // until all nodes serve
        }
        for (int i = 0; i < 3 * Math.min(3, nodes.size()); i++) {
            arriveSoon();
        }
        faultSoon();
        measureLag();
        time.runUntil(FAULTY_PHASE);
        termAfterFaults = raft.term();
        calmDown();
        history.check();
    }

    /** Ends the cluster and begins another one with the state of a backup of some entries. */
    void restore(int index, byte[] state) {
        List<RaftEntry> before = raft.committed();
        history.restored(index < before.size() ? before.get(index).atNanos() : time.now());
        checker = checker.restored(index, state);
        raft.restore(new RaftEntry(1, time.now(), new RaftEntry.Restored(state)));
    }

    CommittedGrantChecker checker() {
        return checker;
    }

    private void measureLag() {
        int committed = raft.committed().size();
        for (SimulatedNode node : nodes) {
            int last = node.directory().lastIndex();
            if (last < committed && node.runs() && node.knownLeader() != null) {
                long sinceNanos = raft.committed().get(last).atNanos();
                maxLagNanos = Math.max(maxLagNanos, time.now() - sinceNanos);
            }
        }
        time.after(SECOND / 4, this::measureLag);
    }

    /** By how much the entries of a follower that heard from a leader were behind at most. */
    long maxLagNanos() {
        return maxLagNanos;
    }

    /** The term at the end of the faults. */
    long termAfterFaults() {
        return termAfterFaults;
    }

    boolean isCalm() {
        return calm;
    }

    boolean isGentle() {
        return gentle;
    }

    // ---- the end

    private void calmDown() {
        calm = true;
        network.mend();
        faults.calmDown();
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
        if (broken == BrokenRule.NONE) {
            awaitThat("the cluster has the version that all nodes know", this::isUpgraded);
        }
        awaitThat("all nodes are up to date", this::isEven);
        for (SimulatedNode node : nodes) {
            checker.compareNow(node);
        }
        CommittedGrantChecker.check(
                nodes.size() == 1 || checker.hasHashes(), "no hashes were compared");
        long term = raft.term();
        time.runUntil(time.now() + STABLE);
        CommittedGrantChecker.check(
                raft.term() == term, "there are elections although nothing fails");
    }

    private boolean isEmpty() {
        return checker.isEmpty()
                && nodes.stream().allMatch(node -> node.driver().openSessions() == 0);
    }

    private boolean isUpgraded() {
        return nodes.stream().mapToInt(SimulatedNode::known).min().orElseThrow()
                == checker.version();
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

    // ---- faults

    private void faultSoon() {
        time.after(
                gentle ? meanFaultNanos : time.randomDuration(0, 2 * meanFaultNanos),
                () -> {
                    if (!calm) {
                        if (gentle) {
                            raft.elect();
                        } else {
                            faults.inject();
                        }
                        faultSoon();
                    }
                });
    }

    // ---- drivers and their state

    ReplicatedDriver newDriver(String name, SimulatedNode node) {
        return new ReplicatedDriver(
                node.member(),
                node.known(),
                RULES,
                CONFIG,
                REQUEST_TIMEOUT,
                CHECK_INTERVAL,
                node,
                node::clock,
                node);
    }

    static byte[] bytes(ReplicatedDriver driver) {
        return driver.withState(CommittedGrantChecker::bytesOf);
    }

    static void read(ReplicatedDriver driver, byte[] bytes) {
        driver.withState(
                replica -> {
                    read(replica, bytes);
                    return replica;
                });
    }

    static void read(Replica replica, byte[] bytes) {
        try {
            var in = new DataInputStream(new ByteArrayInputStream(bytes));
            replica.read(in, in.readInt());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
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
