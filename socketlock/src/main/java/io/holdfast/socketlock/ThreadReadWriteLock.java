package io.holdfast.socketlock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A client's lock behind a {@link ReentrantReadWriteLock}, which excludes threads of the same
 * client.
 */
final class ThreadReadWriteLock implements ReadWriteLock {
    private static final Duration TRY_TIMEOUT = Duration.ofMillis(50);

    /** The primary's reason when its request timeout has passed: the request is repeated. */
    private static final String REQUEST_TIMEOUT_REASON = "timeout waiting for lock";

    private final SocketLockClient client;
    private final ReentrantReadWriteLock threads = new ReentrantReadWriteLock(true);
    private final Lock readLock = new View(threads.readLock(), LockMode.READ);
    private final Lock writeLock = new View(threads.writeLock(), LockMode.WRITE);

    /** Serializes the acquires of readers, since a client may have only one in flight. */
    private final ReentrantLock acquiring = new ReentrantLock(true);

    ThreadReadWriteLock(SocketLockClient client) {
        this.client = client;
    }

    @Override
    public Lock readLock() {
        return readLock;
    }

    @Override
    public Lock writeLock() {
        return writeLock;
    }

    private final class View implements Lock {
        private final Lock local;
        private final LockMode mode;

        /**
         * The locks that each thread has not unlocked yet. Kept per thread, since after a loss a
         * later thread has another lock of the client than earlier ones.
         */
        private final Map<Thread, Deque<SocketLock>> locks = new ConcurrentHashMap<>();

        View(Lock local, LockMode mode) {
            this.local = local;
            this.mode = mode;
        }

        private void push(SocketLock lock) {
            locks.computeIfAbsent(Thread.currentThread(), thread -> new ArrayDeque<>()).push(lock);
        }

        /** Requires that the thread has a lock. */
        private SocketLock pop() {
            Deque<SocketLock> mine = locks.getOrDefault(Thread.currentThread(), new ArrayDeque<>());
            SocketLock lock = mine.pop();
            if (mine.isEmpty()) {
                locks.remove(Thread.currentThread());
            }
            return lock;
        }

        /**
         * Throws if the thread would deadlock with itself: it has the read lock and requests the
         * write lock.
         */
        private void rejectSelfDeadlock() {
            if (mode == LockMode.WRITE
                    && threads.getReadHoldCount() > 0
                    && !threads.isWriteLockedByCurrentThread()) {
                throw new SocketLockException("write requested while read lock held");
            }
        }

        @Override
        public void lock() {
            rejectSelfDeadlock();
            local.lock();
            boolean done = false;
            try {
                acquiring.lock();
                try {
                    push(acquireWithoutTimeout(false));
                } finally {
                    acquiring.unlock();
                }
                done = true;
            } finally {
                unlockUnless(done);
            }
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            rejectSelfDeadlock();
            local.lockInterruptibly();
            boolean done = false;
            try {
                acquiring.lockInterruptibly();
                try {
                    push(acquireWithoutTimeout(true));
                } finally {
                    acquiring.unlock();
                }
                done = true;
            } catch (SocketLockInterruptedException e) {
                throw interrupted(e);
            } finally {
                unlockUnless(done);
            }
        }

        private SocketLock acquireWithoutTimeout(boolean interruptible) {
            while (true) {
                try {
                    return acquire(AcquireOptions.NONE, interruptible);
                } catch (SocketLockRefusedException e) {
                    if (!e.reason().equals(REQUEST_TIMEOUT_REASON)) {
                        throw e;
                    }
                }
            }
        }

        private SocketLock acquireUntil(long deadline) {
            while (true) {
                long left = Math.max(TRY_TIMEOUT.toNanos(), deadline - System.nanoTime());
                try {
                    return acquire(AcquireOptions.timeout(Duration.ofNanos(left)), true);
                } catch (SocketLockRefusedException e) {
                    boolean over = deadline - System.nanoTime() <= 0;
                    if (over || !e.reason().equals(REQUEST_TIMEOUT_REASON)) {
                        throw e;
                    }
                }
            }
        }

        private SocketLock acquire(AcquireOptions options, boolean interruptible) {
            if (!interruptible) {
                return client.acquireUninterruptibly(mode, options);
            }
            return mode == LockMode.READ
                    ? client.acquireRead(options)
                    : client.acquireWrite(options);
        }

        private InterruptedException interrupted(SocketLockInterruptedException e) {
            boolean unused = Thread.interrupted(); // the flag is replaced by the exception
            InterruptedException interrupted = new InterruptedException();
            interrupted.initCause(e);
            return interrupted;
        }

        private void unlockUnless(boolean done) {
            if (!done) {
                local.unlock();
            }
        }

        @Override
        public boolean tryLock() {
            if (!local.tryLock()) {
                return false;
            }
            boolean done = false;
            try {
                if (acquiring.tryLock()) {
                    try {
                        push(acquire(AcquireOptions.timeout(TRY_TIMEOUT), false));
                        done = true;
                    } finally {
                        acquiring.unlock();
                    }
                }
            } catch (SocketLockTimeoutException | SocketLockRefusedException e) {
                return false;
            } finally {
                unlockUnless(done);
            }
            return done;
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            rejectSelfDeadlock();
            long deadline = System.nanoTime() + unit.toNanos(time);
            if (!local.tryLock(time, unit)) {
                return false;
            }
            boolean done = false;
            try {
                long left = deadline - System.nanoTime();
                if (acquiring.tryLock(left, TimeUnit.NANOSECONDS)) {
                    try {
                        push(acquireUntil(deadline));
                        done = true;
                    } finally {
                        acquiring.unlock();
                    }
                }
            } catch (SocketLockTimeoutException | SocketLockRefusedException e) {
                return false;
            } catch (SocketLockInterruptedException e) {
                throw interrupted(e);
            } finally {
                unlockUnless(done);
            }
            return done;
        }

        /** Unlocks the thread's lock in any case, and throws if the client's lock was lost. */
        @Override
        public void unlock() {
            boolean held = owns() && pop().release();
            local.unlock();
            if (!held) {
                throw new SocketLockException("lock expired");
            }
        }

        /** If the thread is not the owner, the unlock of the thread's lock throws. */
        private boolean owns() {
            return mode == LockMode.WRITE
                    ? threads.isWriteLockedByCurrentThread()
                    : threads.getReadHoldCount() > 0;
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException();
        }
    }
}
