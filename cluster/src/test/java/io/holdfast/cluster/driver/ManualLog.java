package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.KeyLimits;
import io.holdfast.driver.MemoryBudgets;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.EngineSettings;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A driver, the log it writes to and the world around it, all moved by hand. */
final class ManualLog implements ReplicatedLog, ReplicatedDriver.Environment {
    static final long MILLI = 1_000_000;
    static final long SECOND = 1000 * MILLI;
    static final long SESSION = 10 * SECOND;
    static final long PATIENCE = 5 * SECOND;

    private static final ReplicatedSettings RULES =
            new ReplicatedSettings(
                    new EngineSettings(0, 300 * SECOND, true), KeyLimits.NONE, SESSION, 0);

    /** What was proposed and is not in the log yet. */
    private record Proposal(LogEntry entry, Consumer<Boolean> outcome) {}

    /** Clocks begin anywhere. */
    private final AtomicLong now = new AtomicLong(-1_000_000 * SECOND);

    private final Deque<Proposal> proposals = new ArrayDeque<>();
    private final List<Runnable> later = new ArrayList<>();
    final ServerMonitor observatory = new ServerMonitor(1, () -> nowNanos());
    private final ReplicatedDriver driver =
            new ReplicatedDriver(
                    "n1",
                    new UUID(1, 1),
                    RULES,
                    new DriverConfig(
                            RULES.settings(),
                            KeyLimits.NONE,
                            Duration.ofMinutes(10),
                            0,
                            MemoryBudgets.UNLIMITED,
                            observatory),
                    PATIENCE,
                    this,
                    () -> nowNanos(),
                    this);
    private long lastDrawn;

    /** How many times it was said that what was sent got nowhere. */
    int otherWays;

    /** Whether there are no other nodes. */
    boolean alone;

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

    /** Time passes, and nobody does anything about it. */
    void pass(long nanos) {
        now.addAndGet(nanos);
    }

    /** What is on its way. */
    List<LogEntry> sent() {
        return proposals.stream().map(Proposal::entry).toList();
    }

    /** Everything on its way gets into the log and is applied. */
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

    /** The first that is on its way got into the log a while ago, and is applied now. */
    void applyFirstLate(long stampNanos) {
        driver.apply(1, stampNanos, proposals.remove().entry);
    }

    /** The first that is on its way is applied, and comes again. */
    void applyFirstTwice() {
        Proposal first = proposals.remove();
        apply(first.entry);
        apply(first.entry);
    }

    /** What is on its way never arrives, and its sender is told so or not. */
    void loseAll(boolean told) {
        List<Proposal> lost = List.copyOf(proposals);
        proposals.clear();
        if (told) {
            lost.forEach(proposal -> proposal.outcome.accept(false));
        }
    }

    /** An entry of whatever node. */
    void apply(LogEntry logEntry) {
        driver.apply(1, now.get(), logEntry);
    }

    private static LogEntry decode(byte[] bytes) {
        try {
            return LogEntryEncoding.decode(bytes);
        } catch (EncodingException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void propose(byte[] entry, Consumer<Boolean> outcome) {
        proposals.add(new Proposal(decode(entry), outcome));
    }

    @Override
    public boolean isLeader() {
        return true;
    }

    @Override
    public void reconnectToLeader() {
        otherWays++;
    }

    @Override
    public long clockNanos() {
        return nowNanos();
    }

    @Override
    public boolean isAlone() {
        return alone;
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
