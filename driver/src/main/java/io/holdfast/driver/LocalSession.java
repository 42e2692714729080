package io.holdfast.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.engine.Command;
import io.holdfast.engine.view.TrackedRequestView;

import java.util.List;

/**
 * A session of the local driver. Lock order: its lock is acquired before that of a shard, never
 * after.
 */
final class LocalSession implements Session {
    /** Maximum number of holds and waiters of a shard that are ended under one lock. */
    private static final int CLOSE_SLICE = 1000;

    private final long id;
    private final EffectMailbox effectMailbox;
    private final ClientInfo clientInfo;
    private final long openedNanos;
    private final LocalDriver driver;

    /** Bit i: this session may have state in shard i. */
    private volatile long touched;

    @GuardedBy("this")
    private boolean closed;

    LocalSession(
            long id,
            EffectMailbox effectMailbox,
            ClientInfo clientInfo,
            long openedNanos,
            LocalDriver driver) {
        this.id = id;
        this.effectMailbox = effectMailbox;
        this.clientInfo = clientInfo;
        this.openedNanos = openedNanos;
        this.driver = driver;
    }

    @Override
    public long id() {
        return id;
    }

    ClientInfo clientInfo() {
        return clientInfo;
    }

    SessionView view(long nowNanos) {
        return SessionView.of(
                id, clientInfo, nowNanos - openedNanos, driver.queries().usage(id, touched));
    }

    EffectMailbox mailbox() {
        return effectMailbox;
    }

    @Override
    public synchronized boolean submit(Command.Keyed command) {
        if (closed) {
            return true;
        }
        int shard = LocalDriver.shardOf(command.key());
        if (command instanceof Command.Locking) { // data belongs to no session
            touched |= 1L << shard;
        }
        driver.shard(shard).apply(command, this);
        return true;
    }

    @Override
    public SignalClient openSignals(SignalEmitter signalEmitter) {
        return driver.signals().client(id, signalEmitter);
    }

    @Override
    public synchronized List<TrackedRequestView> trackedRequests(long after, int max) {
        return driver.queries().trackedRequests(id, touched, after, max);
    }

    @Override
    public synchronized boolean isHolding() {
        return driver.queries().hasHolds(id, touched);
    }

    @Override
    public void close(long lastAnswered, Runnable released) {
        if (closeFirstSlices(lastAnswered, released)) {
            released.run();
        }
    }

    /** Ends the first slice of every shard; true if that was everything. */
    private synchronized boolean closeFirstSlices(long lastAnswered, Runnable released) {
        if (closed) {
            return false;
        }
        closed = true;
        Command slice = new Command.CloseSession(id, lastAnswered, CLOSE_SLICE);
        for (int i = 0; i < LocalDriver.SHARDS; i++) {
            if ((touched & 1L << i) != 0 && !driver.shard(i).close(slice, this)) {
                touched &= ~(1L << i);
            }
        }
        if (touched == 0) {
            driver.forget(this);
            return true;
        }
        Thread.startVirtualThread(() -> closeRest(slice, released));
        return false;
    }

    /**
     * Ends the rest slice by slice, so that other sessions are not blocked by one with very many
     * holds.
     */
    private void closeRest(Command slice, Runnable released) {
        for (int i = 0; i < LocalDriver.SHARDS; i++) {
            boolean more = (touched & 1L << i) != 0;
            while (more) {
                more = driver.shard(i).close(slice, this);
            }
        }
        driver.forget(this);
        released.run();
    }
}
