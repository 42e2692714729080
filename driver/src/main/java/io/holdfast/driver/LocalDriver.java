package io.holdfast.driver;

import io.holdfast.engine.BelongingView;
import io.holdfast.engine.CounterView;
import io.holdfast.engine.EngineViews;
import io.holdfast.engine.HeldCount;
import io.holdfast.engine.HolderView;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.Kind;
import io.holdfast.engine.LineView;
import io.holdfast.engine.ListView;
import io.holdfast.engine.Listing;
import io.holdfast.engine.LockEngine;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceView;
import io.holdfast.engine.Settings;
import io.holdfast.engine.UseCount;
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
 * Serves sessions in this process. Keys are hashed onto shards, each an engine guarded by its own
 * lock; callers go straight in. One thread ends what is due and collects idle keys.
 */
public final class LocalDriver implements Driver {
    /** At most 64: a session keeps the set of shards it touched in a long. */
    public static final int SHARDS = 16;

    private static final int SLICE = 512;

    private final Shard[] shards = new Shard[SHARDS];
    private final ConcurrentMap<Long, LocalSession> sessions = new ConcurrentHashMap<>();
    private final AtomicLong lastSession = new AtomicLong();
    private final Salts salts = new Salts();
    private final Fences fences;
    private final DeadlineThread deadlines;
    private final LongSupplier clock;
    private final Watcher watcher;

    /** The clock of the watcher has to be {@link System#nanoTime}. */
    public LocalDriver(DriverConfig config, Fences fences) {
        this(config, fences, System::nanoTime);
    }

    /**
     * @param collectEvery how often idle keys are collected
     * @param room memory for keys, holds, waits and data
     */
    public LocalDriver(
            Settings settings, Caps caps, Duration collectEvery, Fences fences, Room room) {
        this(settings, caps, collectEvery, fences, room, System::nanoTime);
    }

    LocalDriver(
            Settings settings,
            Caps caps,
            Duration collectEvery,
            Fences fences,
            Room room,
            LongSupplier clock) {
        this(settings, caps, collectEvery, fences, room, Watcher.NONE, clock);
    }

    LocalDriver(
            Settings settings,
            Caps caps,
            Duration collectEvery,
            Fences fences,
            Room room,
            Watcher watcher,
            LongSupplier clock) {
        this(
                new DriverConfig(
                        settings, caps, collectEvery, 0, MemoryBudgets.inPieces(room), watcher),
                fences,
                clock);
    }

    LocalDriver(DriverConfig config, Fences fences, LongSupplier clock) {
        this.clock = clock;
        this.watcher = config.watcher();
        this.fences = fences;
        LocalLedger ledger =
                new LocalLedger(
                        fences, config.caps(), config.perClient(), config.memory(), this::usageOf);
        ExpiryHold hold = new ExpiryHold(config.readRound(), clock);
        for (int i = 0; i < SHARDS; i++) {
            shards[i] =
                    new Shard(
                            i,
                            new LockEngine(config.settings()),
                            ledger,
                            clock,
                            hold,
                            watcher,
                            sessions::get);
        }
        deadlines = new DeadlineThread(List.of(shards), config.collectEvery(), clock, hold);
        for (Shard shard : shards) {
            shard.onEarlierDeadline(deadlines::armBefore);
        }
        deadlines.start();
    }

    /**
     * For a while from now, grants nothing that excludes others: acquires are queued. A later call
     * replaces the time. To be called before clients are served.
     */
    public void quarantine(Duration span) {
        long until = clock.getAsLong() + span.toNanos();
        for (Shard shard : shards) {
            shard.quarantine(until);
        }
    }

    @Override
    public Session open(Mailbox mailbox, Peer peer) {
        LocalSession session =
                new LocalSession(
                        lastSession.incrementAndGet(), mailbox, peer, clock.getAsLong(), this);
        sessions.put(session.id(), session);
        watcher.opened(session.id(), peer);
        return session;
    }

    private @Nullable ClientUsage usageOf(long session) {
        LocalSession found = sessions.get(session);
        return found == null ? null : found.peer().usage();
    }

    @Override
    public int openSessions() {
        return sessions.size();
    }

    @Override
    public long salt() {
        return salts.next();
    }

    @Override
    public @Nullable String nameOf(long session) {
        LocalSession found = sessions.get(session);
        return found == null ? null : found.peer().name().get();
    }

    @Override
    public @Nullable SessionView session(long session) {
        LocalSession found = sessions.get(session);
        return found == null ? null : found.view(clock.getAsLong());
    }

    @Override
    public List<BelongingView> belongings(long session, int most) {
        LocalSession found = sessions.get(session);
        return found == null ? List.of() : found.belongings(most);
    }

    @Override
    public boolean kick(long session) {
        LocalSession found = sessions.get(session);
        return found != null && found.mailbox().kick();
    }

    @Override
    public Slices<SessionView> listSessions() {
        Iterator<LocalSession> rest = sessions.values().iterator();
        return new Slices<>() {
            @Override
            public List<SessionView> next() {
                List<SessionView> slice = new ArrayList<>();
                while (slice.size() < SLICE && rest.hasNext()) {
                    slice.add(rest.next().view(clock.getAsLong()));
                }
                return slice;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public @Nullable HolderView holders(Kind kind, Key key) {
        return shards[shardOf(key)].read(views -> views.holders(kind, key));
    }

    @Override
    public @Nullable KeyView view(Kind kind, Key key, int ahead, int most) {
        return shards[shardOf(key)].read((views, now) -> views.view(kind, key, ahead, most, now));
    }

    @Override
    public Slices<LineView> listLines(int most) {
        return new ShardSlices<>(views -> views.listLines(most));
    }

    @Override
    public boolean isHolding(long session, Kind kind, Key key) {
        return shards[shardOf(key)].read(views -> views.isHolding(session, kind, key));
    }

    @Override
    public HeldCount countHeld(Namespace namespace, Kind kind) {
        HeldCount sum = new HeldCount(0, 0);
        for (Shard shard : shards) {
            sum = sum.plus(shard.read(views -> views.countHeld(namespace, kind)));
        }
        return sum;
    }

    @Override
    public UseCount countUse(Kind kind) {
        UseCount sum = new UseCount(0, 0, 0);
        for (Shard shard : shards) {
            sum = sum.plus(shard.read(views -> views.countUse(kind)));
        }
        return sum;
    }

    @Override
    public long[] waited(Kind kind, int most) {
        return Stream.of(shards)
                .flatMapToLong(
                        shard ->
                                LongStream.of(
                                        shard.read((views, now) -> views.waited(kind, most, now))))
                .toArray();
    }

    @Override
    public Slices<HolderView> listHolders(Namespace namespace, Kind kind) {
        return new ShardSlices<>(views -> views.listHolders(namespace, kind));
    }

    @Override
    public Slices<ResourceView> listInUse() {
        return new ShardSlices<>(EngineViews::listInUse);
    }

    @Override
    public Slices<ResourceView> listIdle() {
        return new ShardSlices<>(EngineViews::listIdle);
    }

    @Override
    public Slices<CounterView> listCounters() {
        return new ShardSlices<>(EngineViews::listCounters);
    }

    @Override
    public Slices<ValueView> listValues() {
        return new ShardSlices<>(EngineViews::listValues);
    }

    @Override
    public Slices<ListView> listLists() {
        return new ShardSlices<>(EngineViews::listLists);
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
        watcher.closed(session.id(), session.peer());
    }

    /** One shard after the other, each in slices. */
    private final class ShardSlices<T> implements Slices<T> {
        private final Function<EngineViews, Listing<T>> open;
        private int nextShard;
        private Shard.@Nullable SliceReader<T> reader;

        ShardSlices(Function<EngineViews, Listing<T>> open) {
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
