package io.holdfast.cluster.driver;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.EngineSettings;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A driver with a log, a clock and an environment that the test controls. */
final class ManualLog implements ReplicatedLog, ReplicatedDriver.Environment {
    static final long MILLI = 1_000_000;
    static final long SECOND = 1000 * MILLI;
    static final long SESSION = 10 * SECOND;
    static final long REQUEST_TIMEOUT = 5 * SECOND;
    static final long CHECK_INTERVAL = 10_000 * SECOND;

    static final UUID DATA = new UUID(1, 1);

    /** The version of the cluster that this node knows. */
    static final int TRIAL = ClusterVersion.LATEST + 1;

    private static final ReplicatedSettings RULES =
            new ReplicatedSettings(
                    new EngineSettings(0, 300 * SECOND, true), KeyCountLimits.NONE, SESSION, 0);

    /** A proposal in flight. */
    private record Proposal(LogEntry entry, Consumer<Boolean> outcome) {}

    /** A monotonic clock may start anywhere. */
    private final AtomicLong now = new AtomicLong(-1_000_000 * SECOND);

    private final Deque<Proposal> proposals = new ArrayDeque<>();
    private final List<Runnable> later = new ArrayList<>();
    final ServerMonitor monitor = new ServerMonitor(1, () -> nowNanos());
    private final ReplicatedDriver driver =
            new ReplicatedDriver(
                    new Member(NodeAddress.alone("n1"), DATA),
                    TRIAL,
                    RULES,
                    new DriverConfig(
                            RULES.settings(),
                            KeyCountLimits.NONE,
                            Duration.ofMinutes(10),
                            0,
                            MemoryBudgets.all(new SwitchedBudget()),
                            monitor),
                    REQUEST_TIMEOUT,
                    CHECK_INTERVAL,
                    this,
                    () -> nowNanos(),
                    this);
    private long lastDrawn;

    boolean leader = true;

    /** The number of calls of {@link #reconnectToLeader}. */
    int reconnects;

    /** The members; empty while their list changes. */
    Set<UUID> members = Set.of(DATA, new UUID(2, 2));

    /** Whether changes of the member list are stopped. */
    boolean held;

    /** The bytes of the last proposal. */
    private byte[] lastProposed = {};

    /** Whether there are no other nodes. */
    boolean alone;

    /** Whether new state finds memory. */
    volatile boolean memoryLeft = true;

    private final class SwitchedBudget implements MemoryBudget {
        @Override
        public boolean tryReserve(long bytes) {
            return memoryLeft;
        }

        @Override
        public void reserve(long bytes) {}

        @Override
        public void release(long bytes) {}
    }

    ManualLog() {
        driver.tick();
        applyAll();
        driver.tick();
        applyAll();
    }

    ReplicatedDriver driver() {
        return driver;
    }

    long nowNanos() {
        return now.get();
    }

    /** Advances the clock and does nothing else. */
    void pass(long nanos) {
        now.addAndGet(nanos);
    }

    /** Returns the proposals in flight. */
    List<LogEntry> sent() {
        return proposals.stream().map(Proposal::entry).toList();
    }

    /** Commits and applies all proposals. */
    void applyAll() {
        for (Proposal next = proposals.poll(); next != null; next = proposals.poll()) {
            apply(next.entry);
            next.outcome.accept(true);
        }
        List<Runnable> tasks = List.copyOf(later);
        later.clear();
        tasks.forEach(Runnable::run);
        if (!proposals.isEmpty()) {
            applyAll();
        }
    }

    /** Applies the first proposal with an earlier timestamp, as if it had been committed then. */
    void applyFirstLate(long stampNanos) {
        driver.apply(1, EntryTime.of(stampNanos), proposals.remove().entry);
    }

    /** Applies the first proposal twice. */
    void applyFirstTwice() {
        Proposal first = proposals.remove();
        apply(first.entry);
        apply(first.entry);
    }

    /**
     * Loses all proposals.
     *
     * @param reported whether the driver gets the negative outcome
     */
    void loseAll(boolean reported) {
        List<Proposal> lost = List.copyOf(proposals);
        proposals.clear();
        if (reported) {
            lost.forEach(proposal -> proposal.outcome.accept(false));
        }
    }

    /** Applies an entry of any node. */
    void apply(LogEntry logEntry) {
        driver.apply(1, EntryTime.of(now.get()), logEntry);
    }

    private static LogEntry decode(byte[] bytes) {
        try {
            return LogEntryEncoding.decode(bytes, TRIAL);
        } catch (EncodingException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void propose(byte[] entry, Consumer<Boolean> outcome) {
        lastProposed = entry;
        proposals.add(new Proposal(decode(entry), outcome));
    }

    @Override
    public boolean isLeader() {
        return leader;
    }

    @Override
    public void reconnectToLeader() {
        reconnects++;
    }

    @Override
    public long dueNanos() {
        return nowNanos();
    }

    @Override
    public boolean isAlone() {
        return alone;
    }

    @Override
    public Set<UUID> holdMembers() {
        held = !members.isEmpty();
        return members;
    }

    @Override
    public void releaseMembers() {
        held = false;
    }

    /** Returns the version in which the last proposal was written. */
    int lastProposedVersion() {
        return lastProposed[0];
    }

    @Override
    public long term() {
        return 1;
    }

    @Override
    public void flushSoon() {
        later.add(driver::flush);
    }

    @Override
    public void tickSoon() {}

    @Override
    public UUID randomUuid() {
        return new UUID(7, ++lastDrawn);
    }

    @Override
    public long wallClockNanos() {
        return 0;
    }

    @Override
    public void runLater(Runnable task) {
        later.add(task);
    }
}
