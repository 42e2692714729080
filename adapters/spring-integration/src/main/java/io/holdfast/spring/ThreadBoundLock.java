package io.holdfast.spring;

import io.holdfast.client.Hold;
import io.holdfast.client.HoldfastLock;

import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/**
 * A lock with the semantics of Spring: owned by a thread, reentrant. The state is in {@link
 * InProcessKeyLocks}.
 */
final class ThreadBoundLock implements DistributedLock {
    private static final Duration VERY_LONG = Duration.ofDays(36_500);

    private final String key;
    private final InProcessKeyLocks locals;

    ThreadBoundLock(String key, InProcessKeyLocks locals) {
        this.key = key;
        this.locals = locals;
    }

    /** How the thread that holds the gate requests the lock from the server. */
    private interface AcquireAttempt {
        Optional<Hold> acquire(HoldfastLock lock) throws InterruptedException;
    }

    @Override
    public void lock() {
        lockUninterruptibly(null);
    }

    @Override
    public void lock(Duration ttl) {
        lockUninterruptibly(ttl);
    }

    private void lockUninterruptibly(@Nullable Duration ttl) {
        InProcessKeyLock local = locals.enter(key);
        local.gate.lock();
        boolean interrupted = false;
        boolean taken = false;
        try {
            if (local.isReentrant()) {
                local.reacquire(ttl);
            } else {
                CompletableFuture<Hold> pending =
                        locals.serverLock(key, ttl).acquireAsync(VERY_LONG);
                while (!taken) {
                    try {
                        local.acquired(pending.get(), ttl == null);
                        taken = true;
                    } catch (InterruptedException e) {
                        interrupted = true; // restored at the end: this method is not interruptible
                    }
                }
            }
            taken = true;
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } finally {
            if (!taken) {
                leave(local);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        InProcessKeyLock local = locals.enter(key);
        try {
            local.gate.lockInterruptibly();
        } catch (InterruptedException e) {
            locals.leave(key);
            throw e;
        }
        acquireInside(local, null, lock -> Optional.of(lock.acquire()));
    }

    @Override
    public boolean tryLock() {
        InProcessKeyLock local = locals.enter(key);
        if (!local.gate.tryLock()) {
            locals.leave(key);
            return false;
        }
        try {
            return acquireInside(local, null, HoldfastLock::tryAcquire);
        } catch (InterruptedException e) {
            throw new AssertionError("an acquire without a wait was interrupted", e);
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryAcquireWithin(unit.toNanos(time), null);
    }

    @Override
    public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
        return tryAcquireWithin(TimeUnit.NANOSECONDS.convert(wait), ttl);
    }

    private boolean tryAcquireWithin(long waitNanos, @Nullable Duration ttl)
            throws InterruptedException {
        long start = System.nanoTime();
        InProcessKeyLock local = locals.enter(key);
        boolean passed = false;
        try {
            passed = local.gate.tryLock(waitNanos, TimeUnit.NANOSECONDS);
        } finally {
            if (!passed) {
                locals.leave(key);
            }
        }
        if (!passed) {
            return false;
        }
        long remaining = Math.max(0, waitNanos - (System.nanoTime() - start));
        return acquireInside(local, ttl, lock -> lock.tryAcquire(Duration.ofNanos(remaining)));
    }

    /**
     * Called with the gate held: requests the lock from the server unless this thread holds it
     * already. Releases the gate if that fails.
     */
    private boolean acquireInside(
            InProcessKeyLock local, @Nullable Duration ttl, AcquireAttempt acquireAttempt)
            throws InterruptedException {
        boolean taken = false;
        try {
            if (local.isReentrant()) {
                local.reacquire(ttl);
                taken = true;
            } else {
                Optional<Hold> hold = acquireAttempt.acquire(locals.serverLock(key, ttl));
                hold.ifPresent(held -> local.acquired(held, ttl == null));
                taken = hold.isPresent();
            }
            return taken;
        } finally {
            if (!taken) {
                leave(local);
            }
        }
    }

    @Override
    public void unlock() {
        InProcessKeyLock local =
                locals.mine(key)
                        .orElseThrow(
                                () ->
                                        new IllegalMonitorStateException(
                                                "this thread does not hold the lock " + key));
        boolean wasHeld = true;
        try {
            if (!local.isReentrant()) {
                wasHeld = local.release();
            }
        } finally {
            leave(local);
        }
        if (!wasHeld) {
            throw new ConcurrentModificationException(
                    "the lock "
                            + key
                            + " was lost before it was unlocked: another holder may have acquired"
                            + " it since");
        }
    }

    private void leave(InProcessKeyLock local) {
        local.gate.unlock();
        locals.leave(key);
    }

    private static RuntimeException unwrapped(ExecutionException e) {
        return e.getCause() instanceof RuntimeException cause
                ? cause
                : new IllegalStateException(e.getCause());
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a lock between processes has no conditions");
    }

    @Override
    public String toString() {
        return "lock " + key;
    }
}
