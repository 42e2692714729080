package io.holdfast.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** The view as a lock of the JDK: remembers holds and who got them, that is all. */
final class JavaLock implements Lock {
    private record Taken(Hold hold, Thread by) {}

    private final LockHandle handle;

    /** More than one of a semaphore, or of a lock whose hold was lost. */
    private final Deque<Taken> held = new ArrayDeque<>();

    JavaLock(LockHandle handle) {
        this.handle = handle;
    }

    private void remember(Hold hold) {
        synchronized (held) {
            held.add(new Taken(hold, Thread.currentThread()));
        }
    }

    /**
     * What this thread got, else what was got last: one whose hold was lost must not give back the
     * hold of the next.
     */
    private Hold forget() {
        synchronized (held) {
            for (Iterator<Taken> each = held.descendingIterator(); each.hasNext(); ) {
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
        throw new UnsupportedOperationException("a lock at a server has no conditions");
    }

    @Override
    public String toString() {
        return "Lock[" + handle.key() + "]";
    }
}
