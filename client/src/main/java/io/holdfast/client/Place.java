package io.holdfast.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A place in line: an acquire without an end, under way. */
final class Place implements PlaceInLine {
    private final ClientCore core;
    private final String key;
    private final Pending pending;
    private boolean done;

    Place(ClientCore core, String key, Pending pending) {
        this.core = core;
        this.key = key;
        this.pending = pending;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public Hold await(Duration timeout) throws InterruptedException {
        return tryAwait(timeout).orElseThrow(() -> Failures.timedOut("lock " + key, "its place"));
    }

    @Override
    public Optional<Hold> tryAwait(Duration timeout) throws InterruptedException {
        long nanos = Spans.waiting(timeout);
        synchronized (this) {
            if (done) {
                throw new IllegalStateException("the place for " + key + " is used up");
            }
        }
        boolean before = isGranted();
        waitForTurn(nanos);
        var hold =
                pending.result().isDone() ? Waiting.completed(pending.result()) : pending.giveUp();
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
        var timer = core.timeline().schedule(Spans.capped(nanos), () -> due.complete(null));
        try {
            CompletableFuture.anyOf(pending.result(), due).get();
        } catch (ExecutionException e) {
            // The result tells.
        } finally {
            timer.cancel();
        }
    }

    @Override
    public boolean isGranted() {
        return pending.result().isDone() && !pending.result().isCompletedExceptionally();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (done) {
                return;
            }
            done = true;
        }
        var hold = pending.giveUp();
        if (hold != null) {
            hold.close();
        }
    }
}
