package io.holdfast.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A place in line: an acquire without an end, under way. */
final class QueuedAcquireHandle implements QueuedAcquire {
    private final ClientCore core;
    private final String key;
    private final AcquireOperation acquireOperation;
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
                .orElseThrow(() -> ClientExceptions.timedOut("lock " + key, "its place"));
    }

    @Override
    public Optional<Hold> tryAwait(Duration timeout) throws InterruptedException {
        long nanos = SaturatedNanos.waiting(timeout);
        synchronized (this) {
            if (done) {
                throw new IllegalStateException(
                        "the place for " + key + ": this queued acquire has ended");
            }
        }
        boolean before = isGranted();
        waitForTurn(nanos);
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
        if (before) {
            hold.restartLease();
            hold.ensureNotLost();
        }
        hold.handTo(Thread.currentThread());
        return Optional.of(hold);
    }

    /** By the client's clock. */
    private void waitForTurn(long nanos) throws InterruptedException {
        var due = new CompletableFuture<Void>();
        var timer =
                core.timeline().schedule(SaturatedNanos.capped(nanos), () -> due.complete(null));
        try {
            CompletableFuture.anyOf(acquireOperation.result(), due).get();
        } catch (ExecutionException e) {
            // The result tells.
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
