package io.holdfast.driver;

import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.CounterView;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.EngineViews;
import io.holdfast.engine.HeldCounts;
import io.holdfast.engine.HoldOrWaiterView;
import io.holdfast.engine.HolderView;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyScan;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.ListView;
import io.holdfast.engine.LockEngine;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueueView;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.ResourceKindUsage;
import io.holdfast.engine.ResourceView;
import io.holdfast.engine.ValueView;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A driver whose engines run in this process. Keys are hashed onto shards, each an engine guarded
 * by its own lock; commands run on the caller's thread. One thread expires what is due and collects
 * idle keys.
 */
public final class LocalDriver implements Driver {
    /** At max 64: a session stores the set of shards it has used in a long. */
    public static final int SHARDS = 16;

    private static final int SLICE = 512;

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
            KeyLimits keyLimits,
            Duration collectEvery,
            Fences fences,
            FixedSizeMemoryBudget fixedSizeMemoryBudget) {
        this(
                engineSettings,
                keyLimits,
                collectEvery,
                fences,
                fixedSizeMemoryBudget,
                System::nanoTime);
    }

    LocalDriver(
            EngineSettings engineSettings,
            KeyLimits keyLimits,
            Duration collectEvery,
            Fences fences,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            LongSupplier clock) {
        this(
                engineSettings,
                keyLimits,
                collectEvery,
                fences,
                fixedSizeMemoryBudget,
                DriverObserver.NONE,
                clock);
    }

    LocalDriver(
            EngineSettings engineSettings,
            KeyLimits keyLimits,
            Duration collectEvery,
            Fences fences,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            DriverObserver driverObserver,
            LongSupplier clock) {
        this(
                new DriverConfig(
                        engineSettings,
                        keyLimits,
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
                        fences, config.caps(), config.perClient(), config.memory(), this::usageOf);
        ExpiryPause expiryPause = new ExpiryPause(config.inputBarrier(), clock);
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

    /**
     * For a period from now, grants nothing but shared locks: acquires are queued. A later call
     * replaces the period. Must be called before clients are served.
     */
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
    public List<HoldOrWaiterView> holdsAndWaiters(long session, int max) {
        LocalSession found = sessions.get(session);
        return found == null ? List.of() : found.holdsAndWaiters(max);
    }

    @Override
    public boolean kick(long session) {
        LocalSession found = sessions.get(session);
        return found != null && found.mailbox().kick();
    }

    @Override
    public ScanCursor<SessionView> listSessions() {
        Iterator<LocalSession> iterator = sessions.values().iterator();
        return new ScanCursor<>() {
            @Override
            public List<SessionView> next() {
                List<SessionView> slice = new ArrayList<>();
                while (slice.size() < SLICE && iterator.hasNext()) {
                    slice.add(iterator.next().view(clock.getAsLong()));
                }
                return slice;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public @Nullable HolderView holders(ResourceKind resourceKind, Key key) {
        return shards[shardOf(key)].read(views -> views.holders(resourceKind, key));
    }

    @Override
    public @Nullable KeyView view(ResourceKind resourceKind, Key key, int ahead, int max) {
        return shards[shardOf(key)].read(
                (views, now) -> views.view(resourceKind, key, ahead, max, now));
    }

    @Override
    public ScanCursor<QueueView> listQueues(int max) {
        return new ShardScan<>(views -> views.listQueues(max));
    }

    @Override
    public boolean isHolding(long session, ResourceKind resourceKind, Key key) {
        return shards[shardOf(key)].read(views -> views.isHolding(session, resourceKind, key));
    }

    @Override
    public HeldCounts countHeld(Namespace namespace, ResourceKind resourceKind) {
        HeldCounts sum = new HeldCounts(0, 0);
        for (Shard shard : shards) {
            sum = sum.plus(shard.read(views -> views.countHeld(namespace, resourceKind)));
        }
        return sum;
    }

    @Override
    public ResourceKindUsage countUse(ResourceKind resourceKind) {
        ResourceKindUsage sum = new ResourceKindUsage(0, 0, 0);
        for (Shard shard : shards) {
            sum = sum.plus(shard.read(views -> views.countUse(resourceKind)));
        }
        return sum;
    }

    @Override
    public long[] waited(ResourceKind resourceKind, int max) {
        return Stream.of(shards)
                .flatMapToLong(
                        shard ->
                                LongStream.of(
                                        shard.read(
                                                (views, now) ->
                                                        views.waited(resourceKind, max, now))))
                .toArray();
    }

    @Override
    public ScanCursor<HolderView> listHolders(Namespace namespace, ResourceKind resourceKind) {
        return new ShardScan<>(views -> views.listHolders(namespace, resourceKind));
    }

    @Override
    public ScanCursor<ResourceView> listInUse() {
        return new ShardScan<>(EngineViews::listInUse);
    }

    @Override
    public ScanCursor<ResourceView> listIdle() {
        return new ShardScan<>(EngineViews::listIdle);
    }

    @Override
    public ScanCursor<CounterView> listCounters() {
        return new ShardScan<>(EngineViews::listCounters);
    }

    @Override
    public ScanCursor<ValueView> listValues() {
        return new ShardScan<>(EngineViews::listValues);
    }

    @Override
    public ScanCursor<ListView> listLists() {
        return new ShardScan<>(EngineViews::listLists);
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

    /** Scans one shard after the other, each in slices. */
    private final class ShardScan<T> implements ScanCursor<T> {
        private final Function<EngineViews, KeyScan<T>> open;
        private int nextShard;
        private Shard.@Nullable SliceReader<T> reader;

        ShardScan(Function<EngineViews, KeyScan<T>> open) {
            this.open = open;
        }

        @Override
        public List<T> next() {
            List<T> slice = new ArrayList<>();
            while (slice.isEmpty()) {
                if (reader == null) {
                    if (nextShard == SHARDS) {
                        break;
                    }
                    reader = shards[nextShard++].list(open);
                }
                if (!reader.next(SLICE, slice)) {
                    reader = null;
                }
            }
            return slice;
        }

        @Override
        public void close() {
            if (reader != null) {
                reader.close();
                reader = null;
            }
            nextShard = SHARDS;
        }
    }
}
