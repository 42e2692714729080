package io.holdfast.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Adapts a {@link LockHandle} to {@link Lock}: tracks the holds and the threads that acquired them.
 */
final class JavaLock implements Lock {
    private record Acquired(Hold hold, Thread by) {}

    private final LockHandle handle;

    /** Can have several entries for a semaphore, and for a lock whose earlier hold was lost. */
    @GuardedBy("held")
    private final Deque<Acquired> held = new ArrayDeque<>();

    JavaLock(LockHandle handle) {
        this.handle = handle;
    }

    private void remember(Hold hold) {
        synchronized (held) {
            held.add(new Acquired(hold, Thread.currentThread()));
        }
    }

    /**
     * Removes the most recent hold of this thread, otherwise the most recent one of any thread: a
     * thread whose hold was lost must not release the hold of the next holder.
     */
    private Hold forget() {
        synchronized (held) {
            for (Iterator<Acquired> each = held.descendingIterator(); each.hasNext(); ) {
                var taken = each.next();
                if (taken.by().equals(Thread.currentThread())) {
                    each.remove();
                    return taken.hold();
                }
            }
            var last = held.pollLast();
            if (last == null) {
                throw new IllegalMonitorStateException(handle.key() + " is not held by this lock");
            }
            return last.hold();
        }
    }

    @Override
    public void lock() {
        remember(handle.acquireWithoutInterrupt());
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        remember(handle.acquire());
    }

    @Override
    public boolean tryLock() {
        var hold = handle.tryAcquire();
        hold.ifPresent(this::remember);
        return hold.isPresent();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long nanos = Math.max(0, unit.toNanos(time));
        var hold = handle.tryAcquire(Duration.ofNanos(nanos));
        hold.ifPresent(this::remember);
        return hold.isPresent();
    }

    @Override
    public void unlock() {
        var hold = forget();
        boolean lost = !hold.isHeld() && hold.lossReason().isPresent();
        hold.close();
        if (lost) {
            hold.ensureHeld();
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("conditions are not supported by server locks");
    }

    @Override
    public String toString() {
        return "Lock[" + handle.key() + "]";
    }
}
