package io.holdfast.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.view.EngineReader;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.lock.LockEngine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * One engine and its lock. Effects are added to mailboxes under the lock; sessions are woken after
 * it has been released.
 */
final class Shard implements EngineReader {
    private static final Command TICK = new Command.Tick();
    private static final int COLLECT_SLICE = 256;

    private final int index;

    @GuardedBy("this")
    private final LockEngine engine;

    private final Quotas quotas;
    private final LongSupplier clock;
    private final ExpiryPause expiryPause;
    private final DriverObserver driverObserver;
    private final boolean observed;
    private final LongFunction<@Nullable LocalSession> sessions;

    @GuardedBy("this")
    private final List<Effect> effects = new ArrayList<>();

    @GuardedBy("this")
    private final List<KeyEvent> events = new ArrayList<>();

    private LongConsumer earlierDeadline = deadline -> {};

    /**
     * Never later than the engine's next deadline. It may be earlier: only the deadline thread
     * moves it to a later time, so that acquiring and releasing a lock does not change it.
     */
    private volatile long wakeAtNanos = Long.MAX_VALUE;

    Shard(
            int index,
            LockEngine engine,
            Quotas quotas,
            LongSupplier clock,
            ExpiryPause expiryPause,
            DriverObserver driverObserver,
            LongFunction<@Nullable LocalSession> sessions) {
        this.index = index;
        this.driverObserver = driverObserver;
        this.engine = engine;
        this.quotas = quotas;
        this.clock = clock;
        this.expiryPause = expiryPause;
        this.sessions = sessions;
        this.observed = !driverObserver.equals(DriverObserver.NONE);
        if (observed) {
            engine.recordEvents(events);
        }
    }

    void onEarlierDeadline(LongConsumer listener) {
        earlierDeadline = listener;
    }

    long wakeAtNanos() {
        return wakeAtNanos;
    }

    /** Until a time, nothing but shared locks is granted here. */
    void quarantine(long untilNanos) {
        synchronized (this) {
            engine.quarantine(untilNanos);
            wakeAtNanos = Math.min(wakeAtNanos, engine.nextDeadlineNanos());
        }
        earlierDeadline.accept(untilNanos);
    }

    /** Applies a command; {@code sender} is not woken, because the caller polls its mailbox. */
    void apply(Command command, @Nullable LocalSession sender) {
        List<LocalSession> woken;
        long earlier = Long.MAX_VALUE;
        synchronized (this) {
            apply(command);
            if (observed) {
                notifyObserver(command);
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

    /** Ends a slice of the state of a session; true if there is more. */
    boolean close(Command slice, LocalSession sender) {
        apply(slice, sender);
        synchronized (this) {
            return engine.hasSession(sender.id());
        }
    }

    /** Expires what is due. Called by the deadline thread. */
    void tick() {
        apply(TICK, null);
        synchronized (this) {
            wakeAtNanos = engine.nextDeadlineNanos();
        }
    }

    /** Drops idle keys in slices, so that other threads do not wait long for the lock. */
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

    @GuardedBy("this")
    private void apply(Command command) {
        long now = clock.getAsLong();
        engine.apply(command, now, expiryPause.dueNanos(now), quotas, effects);
    }

    @Override
    public <T extends @Nullable Object> T read(Query<T> query) {
        synchronized (this) {
            return query.read(engine.views(), clock.getAsLong());
        }
    }

    @GuardedBy("this")
    private void notifyObserver(Command command) {
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

    @GuardedBy("this")
    private List<LocalSession> deliver(@Nullable LocalSession sender) {
        List<LocalSession> woken = List.of();
        for (int i = 0; i < effects.size(); i++) {
            Effect effect = effects.get(i);
            LocalSession receiver =
                    sender != null && effect.session() == sender.id()
                            ? sender
                            : sessions.apply(effect.session());
            if (receiver == null) {
                continue; // closed meanwhile
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
}
