package io.holdfast.driver.lagging;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.ClockFences;
import io.holdfast.driver.Driver;
import io.holdfast.driver.DriverSource;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.Session;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.driver.view.Queries;
import io.holdfast.driver.view.ScanCursor;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A driver that applies commands after {@code submit} has returned, like a replicated log: one
 * thread applies them in order, in batches with pauses in between.
 */
public final class LaggingDriver implements Driver {
    private final Driver behind;
    private final Random random;
    private final long longestNanos;
    private final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final Thread applier;
    private final Gate gate = new Gate();
    private final AtomicInteger submitted = new AtomicInteger();
    private volatile boolean undecided;

    /** Only used by the applying thread. */
    private boolean ended;

    /**
     * Wraps another driver.
     *
     * @param longest the longest pause between two batches
     */
    public LaggingDriver(Driver behind, long seed, Duration longest) {
        this.behind = behind;
        this.random = new Random(seed);
        this.longestNanos = longest.toNanos();
        this.applier = Thread.ofPlatform().daemon().name("lagging").unstarted(this::applyAll);
        applier.start();
    }

    /** Lagging drivers for servers. */
    public static DriverSource source(long seed, Duration longest) {
        return config ->
                new LaggingDriver(new LocalDriver(config, new ClockFences()), seed, longest);
    }

    /** Applies nothing until {@link #thaw}. */
    public void freeze() {
        gate.set(false);
    }

    public void thaw() {
        gate.set(true);
    }

    /** The number of commands that are submitted and not applied. */
    public int submitted() {
        return submitted.get();
    }

    /** From now on, no command is applied in time. */
    public void losesItsMajority() {
        undecided = true;
    }

    boolean isUndecided() {
        return undecided;
    }

    /** Whether the current thread is the applying one. */
    boolean isApplying() {
        return Thread.currentThread().equals(applier);
    }

    void later(Runnable step) {
        submitted.incrementAndGet();
        queue.add(
                () -> {
                    submitted.decrementAndGet(); // before the effect is visible to a client
                    step.run();
                });
    }

    private void applyAll() {
        try {
            while (!ended) {
                Runnable step = queue.take();
                if (queue.isEmpty() && longestNanos > 0) {
                    LockSupport.parkNanos(random.nextLong(longestNanos));
                }
                gate.pass();
                step.run();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Session open(EffectMailbox effectMailbox, ClientInfo clientInfo) {
        return new LaggingSession(this, behind, effectMailbox, clientInfo);
    }

    @Override
    public void close() {
        thaw();
        queue.add(() -> ended = true);
        try {
            applier.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        behind.close();
    }

    /** Closed while the driver is frozen. */
    private static final class Gate {
        private boolean open = true;

        synchronized void set(boolean opened) {
            open = opened;
            notifyAll();
        }

        synchronized void pass() throws InterruptedException {
            while (!open) {
                wait();
            }
        }
    }

    // ---- signals and reads go to the wrapped driver

    @Override
    public SignalService signals() {
        return behind.signals();
    }

    @Override
    public SignalClient openSignals(
            EffectMailbox effectMailbox, ClientInfo clientInfo, SignalEmitter signalEmitter) {
        return behind.openSignals(effectMailbox, clientInfo, signalEmitter);
    }

    @Override
    public @Nullable String nameOf(long session) {
        return behind.nameOf(session);
    }

    @Override
    public Queries queries() {
        return behind.queries();
    }

    @Override
    public ScanCursor<SessionView> listSessions() {
        return behind.listSessions();
    }

    @Override
    public @Nullable SessionView session(long session) {
        return behind.session(session);
    }

    @Override
    public boolean kick(long session) {
        return behind.kick(session);
    }

    @Override
    public void quarantine(Duration period) {
        behind.quarantine(period);
    }

    @Override
    public long quarantineLeftNanos() {
        return behind.quarantineLeftNanos();
    }

    @Override
    public int openSessions() {
        return behind.openSessions();
    }

    @Override
    public long salt() {
        return behind.salt();
    }
}
