package io.holdfast.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for an acquire that was started without a timeout. */
final class QueuedAcquireHandle implements QueuedAcquire {
    private final ClientCore core;
    private final String key;
    private final AcquireOperation acquireOperation;

    @GuardedBy("this")
    private boolean done;

    QueuedAcquireHandle(ClientCore core, String key, AcquireOperation acquireOperation) {
        this.core = core;
        this.key = key;
        this.acquireOperation = acquireOperation;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public Hold await(Duration timeout) throws InterruptedException {
        return tryAwait(timeout)
                .orElseThrow(() -> ClientExceptions.timedOut("queued lock " + key, "the server"));
    }

    @Override
    public Optional<Hold> tryAwait(Duration timeout) throws InterruptedException {
        long nanos = SaturatedNanos.waiting(timeout);
        synchronized (this) {
            if (done) {
                throw new IllegalStateException(
                        "the queued acquire of " + key + " has already ended");
            }
        }
        boolean grantedBefore = isGranted();
        awaitGrant(nanos);
        var hold =
                acquireOperation.result().isDone()
                        ? BlockingAcquire.completed(acquireOperation.result())
                        : acquireOperation.cancel();
        synchronized (this) {
            done = true;
        }
        if (hold == null) {
            return Optional.empty();
        }
        if (grantedBefore) {
            hold.restartLease();
            hold.ensureNotLost();
        }
        hold.interruptOnLoss(Thread.currentThread());
        return Optional.of(hold);
    }

    /** Waits by the client's clock until the acquire has ended or the time has passed. */
    private void awaitGrant(long nanos) throws InterruptedException {
        var due = new CompletableFuture<Void>();
        var timer = core.clock().schedule(SaturatedNanos.capped(nanos), () -> due.complete(null));
        try {
            CompletableFuture.anyOf(acquireOperation.result(), due).get();
        } catch (ExecutionException e) {
            // The caller checks the result.
        } finally {
            timer.cancel();
        }
    }

    @Override
    public boolean isGranted() {
        return acquireOperation.result().isDone()
                && !acquireOperation.result().isCompletedExceptionally();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (done) {
                return;
            }
            done = true;
        }
        var hold = acquireOperation.cancel();
        if (hold != null) {
            hold.close();
        }
    }
}
