package io.holdfast.client;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** The view as a lock of the JDK: remembers holds, that is all. */
final class JavaLock implements Lock {
    private final LockHandle handle;

    /** More than one of a semaphore, or of a lock whose hold was lost. */
    private final Deque<Hold> held = new ConcurrentLinkedDeque<>();

    JavaLock(LockHandle handle) {
        this.handle = handle;
    }

    @Override
    public void lock() {
        held.add(handle.acquireWithoutInterrupt());
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        held.add(handle.acquire());
    }

    @Override
    public boolean tryLock() {
        var hold = handle.tryAcquire();
        hold.ifPresent(held::add);
        return hold.isPresent();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long nanos = Math.max(0, unit.toNanos(time));
        var hold = handle.tryAcquire(Duration.ofNanos(nanos));
        hold.ifPresent(held::add);
        return hold.isPresent();
    }

    @Override
    public void unlock() {
        var hold = held.pollLast();
        if (hold == null) {
            throw new IllegalMonitorStateException(handle.key() + " is not held by this lock");
        }
        boolean lost = !hold.isHeld();
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
