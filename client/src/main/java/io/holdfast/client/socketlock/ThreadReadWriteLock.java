package io.holdfast.client.socketlock;

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

/** A client's lock with the JDK's locks before it, which keep the threads of the client apart. */
final class ThreadReadWriteLock implements ReadWriteLock {
    private static final Duration TRY = Duration.ofMillis(50);

    /** The primary's limit for a request, not the caller's: the request is made again. */
    private static final String WAITED_TOO_LONG = "timeout waiting for lock";

    private final SocketLockClient client;
    private final ReentrantReadWriteLock threads = new ReentrantReadWriteLock(true);
    private final Lock readLock = new View(threads.readLock(), LockMode.READ);
    private final Lock writeLock = new View(threads.writeLock(), LockMode.WRITE);

    /** Keeps readers from asking at the same time. */
    private final ReentrantLock asking = new ReentrantLock(true);

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
         * What each thread has not unlocked. Its own, since after a loss the next thread to come
         * has another lock of the client than those before.
         */
        private final Map<Thread, Deque<SocketLock>> locks = new ConcurrentHashMap<>();

        View(Lock local, LockMode mode) {
            this.local = local;
            this.mode = mode;
        }

        private void push(SocketLock lock) {
            locks.computeIfAbsent(Thread.currentThread(), thread -> new ArrayDeque<>()).push(lock);
        }

        /** Only for a thread that has one. */
        private SocketLock pop() {
            Deque<SocketLock> mine = locks.getOrDefault(Thread.currentThread(), new ArrayDeque<>());
            SocketLock lock = mine.pop();
            if (mine.isEmpty()) {
                locks.remove(Thread.currentThread());
            }
            return lock;
        }

        /** The thread would wait for itself, for ever. */
        private void refuseToWaitForOneself() {
            if (mode == LockMode.WRITE
                    && threads.getReadHoldCount() > 0
                    && !threads.isWriteLockedByCurrentThread()) {
                throw new SocketLockException("write requested while read lock held");
            }
        }

        @Override
        public void lock() {
            refuseToWaitForOneself();
            local.lock();
            boolean done = false;
            try {
                asking.lock();
                try {
                    push(acquireForever(false));
                } finally {
                    asking.unlock();
                }
                done = true;
            } finally {
                unlockUnless(done);
            }
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            refuseToWaitForOneself();
            local.lockInterruptibly();
            boolean done = false;
            try {
                asking.lockInterruptibly();
                try {
                    push(acquireForever(true));
                } finally {
                    asking.unlock();
                }
                done = true;
            } catch (SocketLockInterruptedException e) {
                throw interrupted(e);
            } finally {
                unlockUnless(done);
            }
        }

        private SocketLock acquireForever(boolean interruptible) {
            while (true) {
                try {
                    return acquire(AcquireOptions.NONE, interruptible);
                } catch (SocketLockRefusedException e) {
                    if (!e.reason().equals(WAITED_TOO_LONG)) {
                        throw e;
                    }
                }
            }
        }

        private SocketLock acquireUntil(long deadline) {
            while (true) {
                long left = Math.max(TRY.toNanos(), deadline - System.nanoTime());
                try {
                    return acquire(AcquireOptions.timeout(Duration.ofNanos(left)), true);
                } catch (SocketLockRefusedException e) {
                    boolean over = deadline - System.nanoTime() <= 0;
                    if (over || !e.reason().equals(WAITED_TOO_LONG)) {
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
            boolean unused = Thread.interrupted(); // the exception says it
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
                if (asking.tryLock()) {
                    try {
                        push(acquire(AcquireOptions.timeout(TRY), false));
                        done = true;
                    } finally {
                        asking.unlock();
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
            refuseToWaitForOneself();
            long deadline = System.nanoTime() + unit.toNanos(time);
            if (!local.tryLock(time, unit)) {
                return false;
            }
            boolean done = false;
            try {
                long left = deadline - System.nanoTime();
                if (asking.tryLock(left, TimeUnit.NANOSECONDS)) {
                    try {
                        push(acquireUntil(deadline));
                        done = true;
                    } finally {
                        asking.unlock();
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

        /** The thread's lock is unlocked in any case; that the other was lost is said. */
        @Override
        public void unlock() {
            boolean held = owns() && pop().release();
            local.unlock();
            if (!held) {
                throw new SocketLockException("lock expired");
            }
        }

        /** If not, the thread's lock says so. */
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
