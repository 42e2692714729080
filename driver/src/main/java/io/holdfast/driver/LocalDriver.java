package io.holdfast.driver;

import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.view.Queries;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.lock.LockEngine;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A driver whose engines run in this process. Keys are hashed onto shards, each an engine guarded
 * by its own lock; commands run on the caller's thread. One thread expires what is due and collects
 * idle keys.
 */
public final class LocalDriver implements Driver {
    /** At max 64: a session stores the set of shards it has used in a long. */
    public static final int SHARDS = 16;

    private final Shard[] shards = new Shard[SHARDS];
    private final ConcurrentMap<Long, LocalSession> sessions = new ConcurrentHashMap<>();
    private final AtomicLong lastSession = new AtomicLong();
    private final SaltGenerator saltGenerator = new SaltGenerator();
    private final Fences fences;
    private final DeadlineThread deadlines;
    private final LongSupplier clock;

    /** Of the latest quarantine, if there was one. */
    private volatile long quarantineEndNanos;

    private volatile boolean quarantined;
    private final DriverObserver driverObserver;
    private final SignalHub signals;
    private final Queries queries = new Queries(Arrays.asList(shards), LocalDriver::shardOf);

    /** Uses {@link System#nanoTime} as the clock, which must also be the clock of the observer. */
    public LocalDriver(DriverConfig config, Fences fences) {
        this(config, fences, System::nanoTime);
    }

    /**
     * @param collectEvery how often idle keys are collected
     * @param fixedSizeMemoryBudget memory for keys, holds, waits and data
     */
    public LocalDriver(
            EngineSettings engineSettings,
            KeyCountLimits keyCountLimits,
            Duration collectEvery,
            Fences fences,
            FixedSizeMemoryBudget fixedSizeMemoryBudget) {
        this(
                engineSettings,
                keyCountLimits,
                collectEvery,
                fences,
                fixedSizeMemoryBudget,
                System::nanoTime);
    }

    LocalDriver(
            EngineSettings engineSettings,
            KeyCountLimits keyCountLimits,
            Duration collectEvery,
            Fences fences,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            LongSupplier clock) {
        this(
                engineSettings,
                keyCountLimits,
                collectEvery,
                fences,
                fixedSizeMemoryBudget,
                DriverObserver.NONE,
                clock);
    }

    LocalDriver(
            EngineSettings engineSettings,
            KeyCountLimits keyCountLimits,
            Duration collectEvery,
            Fences fences,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            DriverObserver driverObserver,
            LongSupplier clock) {
        this(
                new DriverConfig(
                        engineSettings,
                        keyCountLimits,
                        collectEvery,
                        0,
                        MemoryBudgets.inPieces(fixedSizeMemoryBudget),
                        driverObserver),
                fences,
                clock);
    }

    LocalDriver(DriverConfig config, Fences fences, LongSupplier clock) {
        this.clock = clock;
        this.driverObserver = config.watcher();
        this.fences = fences;
        this.signals = new SignalHub(config.maxSubscriptions(), config.memory().subscriptions());
        LocalQuotas quotas =
                new LocalQuotas(
                        fences,
                        config.keyCountLimits(),
                        config.perClient(),
                        config.memory(),
                        this::usageOf);
        ExpiryPause expiryPause = new ExpiryPause(config.socketReadBarrier(), clock);
        for (int i = 0; i < SHARDS; i++) {
            shards[i] =
                    new Shard(
                            i,
                            new LockEngine(config.settings()),
                            quotas,
                            clock,
                            expiryPause,
                            driverObserver,
                            sessions::get);
        }
        deadlines = new DeadlineThread(List.of(shards), config.collectEvery(), clock, expiryPause);
        for (Shard shard : shards) {
            shard.onEarlierDeadline(deadlines::armBefore);
        }
        deadlines.start();
    }

    @Override
    public void quarantine(Duration period) {
        long until = clock.getAsLong() + period.toNanos();
        quarantineEndNanos = until;
        quarantined = true;
        for (Shard shard : shards) {
            shard.quarantine(until);
        }
    }

    @Override
    public long quarantineLeftNanos() {
        return quarantined ? Math.max(0, quarantineEndNanos - clock.getAsLong()) : 0;
    }

    @Override
    public Session open(EffectMailbox effectMailbox, ClientInfo clientInfo) {
        LocalSession session =
                new LocalSession(
                        lastSession.incrementAndGet(),
                        effectMailbox,
                        clientInfo,
                        clock.getAsLong(),
                        this);
        sessions.put(session.id(), session);
        driverObserver.onSessionOpened(session.id(), clientInfo);
        return session;
    }

    @Override
    public SignalHub signals() {
        return signals;
    }

    /** Opens no session: results never come later, and there is nothing to end. */
    @Override
    public SignalClient openSignals(
            EffectMailbox effectMailbox, ClientInfo clientInfo, SignalEmitter signalEmitter) {
        return signals.client(0, signalEmitter);
    }

    private @Nullable ClientUsage usageOf(long session) {
        LocalSession found = sessions.get(session);
        return found == null ? null : found.clientInfo().usage();
    }

    @Override
    public int openSessions() {
        return sessions.size();
    }

    @Override
    public long salt() {
        return saltGenerator.next();
    }

    @Override
    public @Nullable String nameOf(long session) {
        LocalSession found = sessions.get(session);
        return found == null ? null : found.clientInfo().name().get();
    }

    @Override
    public @Nullable SessionView session(long session) {
        LocalSession found = sessions.get(session);
        return found == null ? null : found.view(clock.getAsLong());
    }

    @Override
    public boolean kick(long session) {
        LocalSession found = sessions.get(session);
        return found != null && found.mailbox().kick();
    }

    @Override
    public ScanCursor<SessionView> listSessions() {
        return new SessionScan<>(sessions.values(), session -> session.view(clock.getAsLong()));
    }

    @Override
    public Queries queries() {
        return queries;
    }

    @Override
    public void close() {
        deadlines.close();
        fences.close();
    }

    static int shardOf(Key key) {
        int hash = key.hashCode();
        return ((hash ^ (hash >>> 16)) * 0x9E3779B9) >>> 28;
    }

    Shard shard(int index) {
        return shards[index];
    }

    void forget(LocalSession session) {
        sessions.remove(session.id());
        driverObserver.onSessionClosed(session.id(), session.clientInfo());
    }
}
