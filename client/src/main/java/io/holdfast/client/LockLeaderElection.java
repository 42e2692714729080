package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;

/** An election by a lock. */
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
        private @Nullable Thread thread;
        private @Nullable Hold leadership;
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
                while (goesOn()) {
                    leadOnce();
                }
            } finally {
                synchronized (this) {
                    thread = null;
                }
                Thread.interrupted(); // the thread may be somebody's: the interrupt was ours
                ended.complete(null);
            }
        }

        private synchronized boolean goesOn() {
            if (!closed) {
                Thread.interrupted(); // that of a lost leadership
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
                // Leadership was lost, or this is closed: the loop looks.
            } catch (Exception | LinkageError | AssertionError e) {
                failed = true;
                if (goesOn()) {
                    LOG.log(Level.WARNING, "leading " + lock.key() + " failed", e);
                }
            } finally {
                set(null);
            }
            if (failed) {
                rest(pause);
                pause = Math.min(MAX_PAUSE, pause * 2);
            } else {
                pause = FIRST_PAUSE;
                if (core.now() - since < FIRST_PAUSE) {
                    rest(FIRST_PAUSE); // a duty that has nothing to do must not keep servers busy
                }
            }
        }

        private void rest(long nanos) {
            if (!goesOn()) {
                return;
            }
            var over = new CompletableFuture<Void>();
            long jittered = (long) (nanos * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
            var timer = core.timeline().schedule(jittered, () -> over.complete(null));
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
                    return; // from within the duty, which must end first
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
