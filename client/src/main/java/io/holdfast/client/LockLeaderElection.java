package io.holdfast.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;

/** A leader election over a lock. */
final class LockLeaderElection implements LeaderElection {
    private static final Logger LOG = System.getLogger(LockLeaderElection.class.getName());
    private static final long FIRST_PAUSE = 100_000_000L;
    private static final long MAX_PAUSE = 10_000_000_000L;

    private final ClientCore core;
    private final HoldfastLock lock;

    LockLeaderElection(ClientCore core, HoldfastLock lock) {
        this.core = core;
        this.lock = lock;
    }

    @Override
    public String key() {
        return lock.key();
    }

    @Override
    public Hold lead(Duration timeout) throws InterruptedException {
        return lock.acquire(timeout);
    }

    @Override
    public Candidacy campaign(LeaderTask leaderTask) {
        core.ensureOpen("campaign " + key());
        var campaign = new Campaign(core, lock.interruptOnLoss(), leaderTask);
        if (!core.add(campaign)) {
            throw ClientExceptions.closed("campaign " + key());
        }
        core.tasks().execute(campaign::run);
        return campaign;
    }

    @Override
    public String toString() {
        return "Leader[" + key() + "]";
    }

    private static final class Campaign implements Candidacy, ClientCore.Part {
        private final ClientCore core;
        private final HoldfastLock lock;
        private final LeaderTask leaderTask;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        @GuardedBy("this")
        private @Nullable Thread thread;

        @GuardedBy("this")
        private @Nullable Hold leadership;

        @GuardedBy("this")
        private boolean closed;

        private long pause = FIRST_PAUSE;

        Campaign(ClientCore core, HoldfastLock lock, LeaderTask leaderTask) {
            this.core = core;
            this.lock = lock;
            this.leaderTask = leaderTask;
        }

        void run() {
            synchronized (this) {
                thread = Thread.currentThread();
            }
            try {
                while (isOpen()) {
                    leadOnce();
                }
            } finally {
                synchronized (this) {
                    thread = null;
                }
                Thread.interrupted(); // the thread may be pooled: clear the interrupt of close()
                ended.complete(null);
            }
        }

        private synchronized boolean isOpen() {
            if (!closed) {
                Thread.interrupted(); // clear the interrupt of a lost leadership
            }
            return !closed;
        }

        private void leadOnce() {
            long since = core.now();
            boolean failed = false;
            try (var hold = lock.acquire()) {
                since = core.now();
                set(hold);
                leaderTask.lead(hold);
            } catch (InterruptedException e) {
                // Leadership was lost, or this is closed: the loop checks.
            } catch (Exception | LinkageError | AssertionError e) {
                failed = true;
                if (isOpen()) {
                    LOG.log(
                            Level.WARNING,
                            "the leader task of " + lock.key() + " failed; campaigning again",
                            e);
                }
            } finally {
                set(null);
            }
            if (failed) {
                pause(pause);
                pause = Math.min(MAX_PAUSE, pause * 2);
            } else {
                pause = FIRST_PAUSE;
                if (core.now() - since < FIRST_PAUSE) {
                    pause(FIRST_PAUSE); // a task that returns at once must not flood the server
                }
            }
        }

        private void pause(long nanos) {
            if (!isOpen()) {
                return;
            }
            var over = new CompletableFuture<Void>();
            long jittered = (long) (nanos * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
            var timer = core.clock().schedule(jittered, () -> over.complete(null));
            try {
                over.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            } finally {
                timer.cancel();
            }
        }

        private synchronized void set(@Nullable Hold hold) {
            leadership = hold;
        }

        private synchronized @Nullable Hold leadership() {
            return leadership;
        }

        @Override
        public boolean isLeading() {
            var hold = leadership();
            return hold != null && hold.isHeld();
        }

        @Override
        public OptionalLong fence() {
            var hold = leadership();
            return hold != null && hold.isHeld() ? hold.fence() : OptionalLong.empty();
        }

        @Override
        public void close() {
            core.remove(this);
            synchronized (this) {
                closed = true;
                if (Thread.currentThread().equals(thread)) {
                    return; // called by the task, which must end first
                }
                if (thread != null) {
                    thread.interrupt();
                }
            }
            ClientCore.await(ended, core.releaseTimeoutNanos());
        }

        @Override
        public void clientClosed() {
            close();
        }
    }
}
