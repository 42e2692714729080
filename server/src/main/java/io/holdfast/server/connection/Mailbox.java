package io.holdfast.server.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.EffectMailbox;
import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Where a driver leaves the effects of a connection's session. The methods of {@link EffectMailbox}
 * are called on any thread, all others on the event loop.
 */
final class Mailbox implements EffectMailbox, EffectSource, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Mailbox.class);
    private static final long NOT_WOKEN = Long.MIN_VALUE;

    private final EffectQueue effects = new EffectQueue();
    private final Executor loop;
    private final Runnable wakeUp;
    private final Runnable kicked;

    @GuardedBy("effects")
    private boolean wakeScheduled;

    /** When the wake-up was scheduled. */
    @GuardedBy("effects")
    private long wakeNanos;

    /** When the current wake-up by another session was scheduled, or {@link #NOT_WOKEN}. */
    private long wokenNanos = NOT_WOKEN;

    /**
     * @param wakeUp handles the effects; run on the event loop
     * @param kicked ends the session; run on the event loop
     */
    Mailbox(Executor loop, Runnable wakeUp, Runnable kicked) {
        this.loop = loop;
        this.wakeUp = wakeUp;
        this.kicked = kicked;
    }

    @Override
    public void add(Effect effect) {
        effects.add(effect);
    }

    @Override
    public void onPending(long request) {
        effects.markPending(request);
    }

    @Override
    public void wake() {
        synchronized (effects) {
            if (wakeScheduled) {
                return;
            }
            wakeScheduled = true;
            wakeNanos = System.nanoTime();
        }
        try {
            loop.execute(this);
        } catch (RejectedExecutionException e) {
            LOG.debug("wake-up dropped: the event loop has stopped"); // so has the connection
        }
    }

    @Override
    public boolean kick() {
        loop.execute(kicked);
        return true;
    }

    @Override
    public void run() {
        synchronized (effects) {
            wakeScheduled = false;
            wokenNanos = wakeNanos;
        }
        wakeUp.run();
    }

    @Override
    public @Nullable Effect poll() {
        return effects.poll();
    }

    /**
     * Returns whether this request is the last one that was applied without a result; only once.
     */
    boolean takePending(long request) {
        return effects.takePending(request);
    }

    /** Records the time since the wake-up if this is the first grant since then. */
    void measureHandOff(Effect effect, ConnectionService service) {
        if (wokenNanos != NOT_WOKEN
                && (effect instanceof Effect.Granted || effect instanceof Effect.Offered)) {
            service.handedOff(System.nanoTime() - wokenNanos);
            wokenNanos = NOT_WOKEN;
        }
    }

    /** What follows is no longer caused by the wake-up. */
    void endWakeUp() {
        wokenNanos = NOT_WOKEN;
    }
}
