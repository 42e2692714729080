package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;

import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.driver.ReplicatedLog;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/** A machine with a clock of its own; its process may crash, pause, or receive messages late. */
final class SimulatedNode implements ReplicatedLog, ReplicatedDriver.Environment {
    /** A pause of the process. */
    record Pause(long fromNanos, long toNanos) {}

    /** A snapshot from which a restarted node may start. */
    private static final class StoredSnapshot {
        final int index;
        final byte[] bytes;

        StoredSnapshot(int index, byte[] bytes) {
            this.index = index;
            this.bytes = bytes;
        }
    }

    final String name;
    final List<Pause> longPauses = new ArrayList<>();
    private final List<Pause> pauses = new ArrayList<>();
    private final SimulatedCluster simulatedCluster;
    private final SimulatedTime time;
    private final SimulatedRaft raft;
    private final double rate;
    private final List<Runnable> held = new ArrayList<>();

    /** The number of the current process; negative while there is none. */
    private int life;

    private boolean paused;
    private long offsetNanos;
    private @Nullable ReplicatedDriver driver;
    private @Nullable StoredSnapshot snapshot;
    private int applied;
    private int knownCommitted;
    private boolean applying;
    private boolean flushPending;
    private long tickNumber;
    private long slowUntilNanos;

    private boolean leading;
    private @Nullable SimulatedNode knownLeader;
    private long knownTerm;
    private long lastProposal;
    private long lastAppended;
    private long lastArrivalNanos;

    SimulatedNode(String name, SimulatedCluster simulatedCluster, SimulatedRaft raft) {
        this.name = name;
        this.simulatedCluster = simulatedCluster;
        this.time = simulatedCluster.time;
        this.raft = raft;
        this.rate = time.between(1 - SimulatedCluster.DRIFT, 1 + SimulatedCluster.DRIFT);
    }

    // ---- the process

    void start() {
        life = Math.abs(life) + 1;
        offsetNanos = time.randomDuration(-SimulatedCluster.YEAR, SimulatedCluster.YEAR);
        applied = 0;
        knownCommitted = 0;
        applying = false;
        flushPending = false;
        ReplicatedDriver made = simulatedCluster.newDriver(name, this);
        driver = made;
        StoredSnapshot from = snapshot;
        if (from != null && time.chance(0.7)) {
            simulatedCluster.read(made, from.bytes);
            applied = from.index;
        }
        tickSoon();
        applySoon();
    }

    void crash() {
        life = -life;
        raft.lost(this);
        paused = false;
        held.clear();
        driver = null;
        leading = false;
        knownLeader = null;
        simulatedCluster.clientsOf(this).forEach(SimulatedClient::nodeCrashed);
    }

    boolean isAlive() {
        return life > 0;
    }

    /** Whether the process is running and not paused. */
    boolean runs() {
        return life > 0 && !paused;
    }

    int life() {
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

    void later(int ofLife, long delayNanos, Runnable task) {
        time.after(delayNanos, () -> doNow(ofLife, task));
    }

    private void doNow(int ofLife, Runnable task) {
        if (life != ofLife) {
            return;
        }
        if (paused) {
            held.add(task);
        } else {
            task.run();
        }
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
        if (raft.isReachedByLeader(this)) {
            knownCommitted = raft.committed().size();
        }
        for (int left = time.pick(1, 16); left > 0 && applied < knownCommitted; left--) {
            SimulatedRaft.Appended next = raft.committed().get(applied);
            driver().apply(next.term(), next.time(), next.entry());
            applied++;
            simulatedCluster.checker.compare(applied, this);
            if (time.chance(0.01)) {
                snapshot = new StoredSnapshot(applied, simulatedCluster.bytes(driver()));
            }
        }
        if (applied < knownCommitted) {
            applySoon();
        }
    }

    /** Installs the state of another node instead of applying the missed entries. */
    void install(SimulatedNode other) {
        if (raft.isReachedByLeader(this) && other.isAlive() && other.applied > applied) {
            simulatedCluster.read(driver(), simulatedCluster.bytes(other.driver()));
            applied = other.applied;
            knownCommitted = Math.max(knownCommitted, applied);
            simulatedCluster.checker.compare(applied, this);
        }
    }

    // ---- the log

    @Override
    public void propose(byte[] entry, Consumer<Boolean> outcome) {
        raft.propose(this, entry, outcome);
    }

    @Override
    public boolean isLeader() {
        return leading;
    }

    @Override
    public void reconnectToLeader() {}

    @Override
    public long dueNanos() {
        return clock();
    }

    @Override
    public boolean isAlone() {
        return simulatedCluster.nodes.size() == 1;
    }

    @Override
    public long term() {
        return knownTerm;
    }

    void learn(@Nullable SimulatedNode leader, long term) {
        knownLeader = leader == this ? null : leader;
        leading = leader == this;
        knownTerm = term;
        driver().leaderChanged();
    }

    @Nullable SimulatedNode knownLeader() {
        return knownLeader;
    }

    long knownTerm() {
        return leading || knownLeader != null ? knownTerm : -1;
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
