package io.holdfast.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.client.Signals.Gap;
import io.holdfast.client.Signals.Message;
import io.holdfast.client.Signals.Signal;
import io.holdfast.client.internal.service.SignalSink;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Buffers the signals that the user has not received yet. When it is full, the oldest signal is
 * dropped.
 */
final class SignalQueue implements SignalSink {
    private static final int CAPACITY = 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Signal> signals = new ArrayDeque<>();

    private final Runnable onArrival;

    @GuardedBy("lock")
    private long dropped;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * @param onArrival called after each signal that was added; must not block
     */
    SignalQueue(Runnable onArrival) {
        this.onArrival = onArrival;
    }

    @Override
    public void signal(String channel, String payload) {
        put(new Message(channel, payload));
    }

    @Override
    public void gap() {
        put(new Gap());
    }

    private void put(Signal signal) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (signals.size() == CAPACITY) {
                signals.remove();
                dropped++;
            }
            signals.add(signal);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        onArrival.run();
    }

    /** Returns the oldest signal, or null if there is none. */
    @Nullable Signal poll() {
        lock.lock();
        try {
            return signals.poll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a signal; null once this is closed. */
    @Nullable Signal take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (signals.isEmpty() && !closed) {
                changed.await();
            }
            return signals.poll();
        } finally {
            lock.unlock();
        }
    }

    long dropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            signals.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
