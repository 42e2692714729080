package io.holdfast.driver;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineViews;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.KeyScan;
import io.holdfast.engine.LockEngine;
import io.holdfast.engine.Quotas;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/** One engine and its lock. Effects go to mailboxes under the lock and wake sessions after it. */
final class Shard {
    private static final Command TICK = new Command.Tick();
    private static final int COLLECT_SLICE = 256;

    /** Reads what depends on the time. */
    interface TimedReader<T extends @Nullable Object> {
        T read(EngineViews views, long nowNanos);
    }

    private final int index;
    private final LockEngine engine;
    private final Quotas quotas;
    private final LongSupplier clock;
    private final ExpiryPause hold;
    private final DriverObserver driverObserver;
    private final boolean watched;
    private final LongFunction<@Nullable LocalSession> sessions;
    private final List<Effect> effects = new ArrayList<>();
    private final List<KeyEvent> events = new ArrayList<>();
    private LongConsumer earlierDeadline = deadline -> {};

    /**
     * Never later than the engine's next deadline. It may be too early: it is only moved up when
     * the deadline thread has looked, so that taking and releasing a lock leaves it alone.
     */
    private volatile long wakeAtNanos = Long.MAX_VALUE;

    Shard(
            int index,
            LockEngine engine,
            Quotas quotas,
            LongSupplier clock,
            ExpiryPause hold,
            DriverObserver driverObserver,
            LongFunction<@Nullable LocalSession> sessions) {
        this.index = index;
        this.driverObserver = driverObserver;
        this.engine = engine;
        this.quotas = quotas;
        this.clock = clock;
        this.hold = hold;
        this.sessions = sessions;
        this.watched = !driverObserver.equals(DriverObserver.NONE);
        if (watched) {
            engine.recordEvents(events);
        }
    }

    void onEarlierDeadline(LongConsumer listener) {
        earlierDeadline = listener;
    }

    long wakeAtNanos() {
        return wakeAtNanos;
    }

    /** Until a time, nothing that excludes others is granted here. */
    void quarantine(long untilNanos) {
        synchronized (this) {
            engine.quarantine(untilNanos);
            wakeAtNanos = Math.min(wakeAtNanos, engine.nextDeadlineNanos());
        }
        earlierDeadline.accept(untilNanos);
    }

    /** Applies a command; {@code sender} is not woken, because its caller looks for itself. */
    void apply(Command command, @Nullable LocalSession sender) {
        List<LocalSession> woken;
        long earlier = Long.MAX_VALUE;
        synchronized (this) {
            apply(command);
            if (watched) {
                watch(command);
            }
            woken = deliver(sender);
            long next = engine.nextDeadlineNanos();
            if (next < wakeAtNanos) {
                wakeAtNanos = next;
                earlier = next;
            }
        }
        if (earlier != Long.MAX_VALUE) {
            earlierDeadline.accept(earlier);
        }
        for (int i = 0; i < woken.size(); i++) {
            woken.get(i).mailbox().wake();
        }
    }

    /** Applies a slice of the end of a session; whether there is more of it. */
    boolean close(Command slice, LocalSession sender) {
        apply(slice, sender);
        synchronized (this) {
            return engine.hasSession(sender.id());
        }
    }

    /** Ends what is due; for the deadline thread. */
    void tick() {
        apply(TICK, null);
        synchronized (this) {
            wakeAtNanos = engine.nextDeadlineNanos();
        }
    }

    /** Drops idle keys in slices, so that nobody waits long. */
    void collect() {
        boolean more = true;
        while (more) {
            synchronized (this) {
                apply(new Command.Collect(COLLECT_SLICE));
                more = engine.hasCollectable(clock.getAsLong());
            }
        }
        tick();
    }

    private void apply(Command command) {
        long now = clock.getAsLong();
        engine.apply(command, now, hold.dueNanos(now), quotas, effects);
    }

    boolean hasHolds(long session) {
        synchronized (this) {
            return engine.views().hasHolds(session);
        }
    }

    <T extends @Nullable Object> T read(TimedReader<T> reader) {
        synchronized (this) {
            return reader.read(engine.views(), clock.getAsLong());
        }
    }

    <T extends @Nullable Object> T read(Function<EngineViews, T> reader) {
        synchronized (this) {
            return reader.apply(engine.views());
        }
    }

    <T> SliceReader<T> list(Function<EngineViews, KeyScan<T>> open) {
        synchronized (this) {
            return new SliceReader<>(open.apply(engine.views()));
        }
    }

    private void watch(Command command) {
        if (command instanceof Command.Keyed keyed) {
            for (int i = 0; i < effects.size(); i++) {
                Effect effect = effects.get(i);
                if (effect.session() == keyed.session() && effect.request() == keyed.request()) {
                    driverObserver.onResponse(index, keyed, effect);
                    break;
                }
            }
        }
        for (int i = 0; i < events.size(); i++) {
            driverObserver.onEvent(index, events.get(i));
        }
        events.clear();
    }

    private List<LocalSession> deliver(@Nullable LocalSession sender) {
        List<LocalSession> woken = List.of();
        for (int i = 0; i < effects.size(); i++) {
            Effect effect = effects.get(i);
            LocalSession receiver =
                    sender != null && effect.session() == sender.id()
                            ? sender
                            : sessions.apply(effect.session());
            if (receiver == null) {
                continue; // it closed while the effect was made
            }
            receiver.mailbox().add(effect);
            if (receiver != sender) {
                if (woken.isEmpty()) {
                    woken = new ArrayList<>(2);
                }
                woken.add(receiver);
            }
        }
        effects.clear();
        return woken;
    }

    /** Reads the keys of this shard, each slice under its lock. */
    final class SliceReader<T> {
        private final KeyScan<T> keyScan;

        private SliceReader(KeyScan<T> keyScan) {
            this.keyScan = keyScan;
        }

        boolean next(int most, List<T> out) {
            synchronized (Shard.this) {
                return keyScan.next(most, clock.getAsLong(), out);
            }
        }

        void close() {
            synchronized (Shard.this) {
                keyScan.close();
            }
        }
    }
}
