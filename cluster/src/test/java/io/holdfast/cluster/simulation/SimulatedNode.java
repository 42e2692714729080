package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.driver.ReplicatedLog;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A machine with a clock of its own; its process may crash, pause, or receive messages late. */
final class SimulatedNode
        implements ReplicatedLog,
                ReplicatedDriver.Environment,
                SimulatedPeer.Process,
                SimulatedNetwork.Listener {
    /** A pause of the process. */
    record Pause(long fromNanos, long toNanos) {}

    private static final int MIN_RETAINED = 20;
    private static final int MAX_RETAINED = 60;

    /** A version of the cluster that nodes know only after an upgrade. */
    static final int TRIAL = ClusterVersion.LATEST + 1;

    final String name;
    final List<Pause> longPauses = new ArrayList<>();
    private final List<Pause> pauses = new ArrayList<>();
    private final SimulatedCluster simulatedCluster;
    private final SimulatedTime time;
    private final NodeAddress address;
    private final double rate;
    private int known = ClusterVersion.LATEST;
    private final List<Runnable> held = new ArrayList<>();

    /** The number of the current process; negative while there is none. */
    private int life;

    private boolean paused;
    private long offsetNanos;
    private @Nullable ReplicatedDriver driver;
    private SimulatedDirectory directory;

    /** Null while there is no process, or no cluster. */
    private @Nullable SimulatedPeer peer;

    private boolean startedAlone;
    private int applied;
    private boolean applying;
    private boolean flushPending;
    private long tickNumber;
    private long slowUntilNanos;

    private @Nullable Member knownLeader;
    private long lastProposal;
    private long lastAppended;
    private long lastArrivalNanos;

    SimulatedNode(NodeAddress address, SimulatedCluster simulatedCluster) {
        this.name = address.name();
        this.address = address;
        this.simulatedCluster = simulatedCluster;
        this.time = simulatedCluster.time;
        this.rate = time.between(1 - SimulatedCluster.DRIFT, 1 + SimulatedCluster.DRIFT);
        this.directory = new SimulatedDirectory(randomUuid());
    }

    // ---- the process

    /** Starts the process; each restart is an upgrade. */
    void start() {
        life = Math.abs(life) + 1;
        if (life > 1) {
            known = TRIAL;
        }
        offsetNanos = time.randomDuration(-SimulatedCluster.YEAR, SimulatedCluster.YEAR);
        applied = 0;
        applying = false;
        flushPending = false;
        driver = simulatedCluster.newDriver(name, this);
        simulatedCluster.faults.endStranger(address);
        simulatedCluster.network.listen(address, this);
        tickSoon();
        if (directory.clusterId() == null) {
            simulatedCluster.formation.await(this);
        } else {
            startPeer();
        }
    }

    private void startPeer() {
        SimulatedDirectory.StoredSnapshot from = directory.snapshot();
        if (from != null && (directory.purged() > 0 || time.chance(0.7))) {
            SimulatedCluster.read(driver(), from.bytes());
            applied = from.index();
        }
        peer = new SimulatedPeer(directory, this, simulatedCluster.network);
        startedAlone = directory.members().members().size() == 1;
        applySoon();
    }

    void crash() {
        life = -life;
        paused = false;
        held.clear();
        driver = null;
        peer = null;
        knownLeader = null;
        simulatedCluster.network.close(address);
        directory.truncate(time.pick(directory.synced(), directory.lastIndex()));
        simulatedCluster.clientsOf(this).forEach(SimulatedClient::nodeCrashed);
    }

    // ---- the data directory

    SimulatedDirectory directory() {
        return directory;
    }

    /** Gives the machine another data directory while there is no process. */
    void replaceDirectory(SimulatedDirectory next) {
        directory = next;
    }

    /** Records the cluster of a node that has none, and starts Raft. */
    void join(UUID clusterId, List<Member> members) {
        if (directory.clusterId() == null) {
            directory.recordCluster(clusterId, members);
            startPeer();
        }
    }

    boolean isWaiting() {
        return life > 0 && peer == null;
    }

    Member member() {
        return new Member(address, directory.dataId);
    }

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public @Nullable SimulatedPeer peer() {
        return peer;
    }

    @Override
    public void greeted(SimulatedPeer opener) {
        if (runs() && opener.members().contains(directory.dataId)) {
            join(opener.clusterId(), opener.members().all());
        }
    }

    boolean isAlive() {
        return life > 0;
    }

    /** Whether the process is running and not paused. */
    boolean runs() {
        return life > 0 && !paused;
    }

    @Override
    public int life() {
        return Math.max(0, life);
    }

    void pause(long durationNanos) {
        paused = true;
        long from = time.now();
        boolean isLong = durationNanos > SimulatedCluster.SHORT_PAUSE;
        pauses.add(new Pause(from, from + durationNanos));
        if (isLong) {
            longPauses.add(new Pause(from, from + durationNanos));
            simulatedCluster.clientsOf(this).forEach(SimulatedClient::nodePaused);
        }
        int now = life;
        time.after(
                durationNanos,
                () -> {
                    if (life == now) {
                        resume();
                    }
                });
    }

    /** Returns for how long the process was paused since a time. */
    long pausedSince(long nanos) {
        long sum = 0;
        for (Pause pause : pauses) {
            sum +=
                    Math.max(
                            0,
                            Math.min(pause.toNanos(), time.now())
                                    - Math.max(pause.fromNanos(), nanos));
        }
        return sum;
    }

    void resume() {
        paused = false;
        List<Runnable> waiting = List.copyOf(held);
        held.clear();
        waiting.forEach(task -> later(time.randomDuration(0, 10 * MILLI), task));
    }

    /** Runs a task in this process after a delay, unless the process has been replaced by then. */
    void later(long delayNanos, Runnable task) {
        later(life, delayNanos, task);
    }

    @Override
    public void later(int ofLife, long delayNanos, Runnable task) {
        time.after(delayNanos, () -> deliver(ofLife, task));
    }

    @Override
    public void deliver(int ofLife, Runnable task) {
        if (life != ofLife) {
            return;
        }
        if (paused) {
            held.add(task);
        } else {
            task.run();
        }
    }

    /** Returns the highest version of the cluster that the node knows. */
    int known() {
        return known;
    }

    ReplicatedDriver driver() {
        ReplicatedDriver running = driver;
        if (running == null) {
            throw new AssertionError(name + " is not running");
        }
        return running;
    }

    long clock() {
        return offsetNanos + (long) (time.now() * rate);
    }

    /** Converts a duration on its clock to true time. */
    private long trueDuration(long nanos) {
        return (long) (nanos / rate) + 1;
    }

    // ---- applying

    int applied() {
        return applied;
    }

    void slowDown(long durationNanos) {
        slowUntilNanos = time.now() + durationNanos;
    }

    /** Schedules the application of committed entries. */
    void applySoon() {
        if (life > 0 && !applying) {
            applying = true;
            boolean slow = time.now() < slowUntilNanos;
            later(
                    slow
                            ? time.randomDuration(50 * MILLI, 2500 * MILLI)
                            : time.randomDuration(0, MILLI),
                    this::applySome);
        }
    }

    private void applySome() {
        applying = false;
        SimulatedPeer log = peer;
        if (log == null) {
            return;
        }
        for (int left = time.pick(1, 16); left > 0 && applied < log.committed(); left--) {
            RaftEntry next = directory.entry(++applied);
            switch (next.content()) {
                case RaftEntry.Proposal(var entryTime, var entry, _) -> {
                    driver().apply(next.term(), entryTime, entry);
                    if (entry.checksState()) {
                        simulatedCluster.checker().compareHash(applied, this);
                    }
                }
                case RaftEntry.Restored(byte[] state) -> SimulatedCluster.read(driver(), state);
                case RaftEntry.Members _ -> {}
            }
            simulatedCluster.checker().compare(applied, this);
            if (time.chance(0.01)) {
                writeSnapshot();
            }
        }
        if (applied < log.committed()) {
            applySoon();
        }
    }

    private void writeSnapshot() {
        SimulatedDirectory.StoredSnapshot snapshot =
                new SimulatedDirectory.StoredSnapshot(applied, SimulatedCluster.bytes(driver()));
        directory.store(snapshot);
        if (time.chance(0.5)) { // some entries stay, for nodes that are a little behind
            directory.purge(applied - time.pick(MIN_RETAINED, MAX_RETAINED));
        }
        simulatedCluster.faults.written(snapshot);
    }

    @Override
    public void onCommit(SimulatedPeer from, int before, int index) {
        simulatedCluster.raft.onCommit(from, before, index);
        applySoon();
    }

    @Override
    public void onInstalled(SimulatedDirectory.StoredSnapshot snapshot) {
        if (snapshot.index() > applied) {
            SimulatedCluster.read(driver(), snapshot.bytes());
            applied = snapshot.index();
            simulatedCluster.checker().compare(applied, this);
        }
    }

    @Override
    public void onLeader(@Nullable Member leader) {
        knownLeader = leader;
        driver().leaderChanged();
    }

    // ---- the log

    @Override
    public void propose(byte[] entry, Consumer<Boolean> outcome) {
        simulatedCluster.raft.propose(this, entry, outcome);
    }

    @Override
    public boolean isLeader() {
        SimulatedPeer log = peer;
        return log != null && log.isLeader();
    }

    @Override
    public void reconnectToLeader() {}

    @Override
    public long dueNanos() {
        return clock();
    }

    @Override
    public boolean isAlone() {
        SimulatedPeer log = peer;
        return startedAlone && log != null && log.members().members().size() == 1;
    }

    /** Also the nodes that may be added: no older one is added after a raise. */
    @Override
    public Set<UUID> holdMembers() {
        SimulatedPeer log = peer;
        return log == null
                ? Set.of()
                : Stream.concat(
                                log.members().all().stream(),
                                simulatedCluster.nodes.stream().map(SimulatedNode::member))
                        .map(Member::dataId)
                        .collect(Collectors.toSet());
    }

    @Override
    public void releaseMembers() {}

    @Override
    public long term() {
        return directory.term;
    }

    /** The other node that leads, as far as this one knows. */
    @Nullable SimulatedNode knownLeader() {
        Member leader = knownLeader;
        return leader == null || leader.equals(member())
                ? null
                : simulatedCluster.nodes.stream()
                        .filter(node -> node.address.equals(leader.address()))
                        .findFirst()
                        .orElse(null);
    }

    long nextProposal() {
        return ++lastProposal;
    }

    /**
     * Notes that a proposal has arrived. Returns whether no later proposal has arrived before it.
     */
    boolean appended(long number) {
        boolean inOrder = number > lastAppended;
        lastAppended = Math.max(lastAppended, number);
        return inOrder;
    }

    /** Returns a delay that keeps messages in order. */
    long inOrder(long delayNanos) {
        lastArrivalNanos = Math.max(lastArrivalNanos + 1, time.now() + delayNanos);
        return lastArrivalNanos - time.now();
    }

    // ---- environment of the driver

    @Override
    public void flushSoon() {
        if (!flushPending) {
            flushPending = true;
            later(
                    time.randomDuration(0, MILLI / 5),
                    () -> {
                        flushPending = false;
                        driver().flush();
                    });
        }
    }

    @Override
    public void tickSoon() {
        tickAfter(time.randomDuration(0, MILLI / 5));
    }

    private void tickAfter(long delayNanos) {
        long number = ++tickNumber;
        later(
                delayNanos,
                () -> {
                    if (number == tickNumber) {
                        long next = driver().tick();
                        if (number == tickNumber) {
                            tickAfter(
                                    trueDuration(Math.max(0, next))
                                            + time.randomDuration(0, MILLI));
                        }
                    }
                });
    }

    @Override
    public UUID randomUuid() {
        return new UUID(time.number(), time.number());
    }

    @Override
    public long wallClockNanos() {
        return SimulatedCluster.YEAR + time.now();
    }

    @Override
    public void runLater(Runnable task) {
        later(time.randomDuration(0, MILLI / 5), task);
    }
}
