package io.holdfast.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.client.internal.service.AcquireRequest;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** The acquire of several keys, in sequence, with one deadline: all or none. */
final class AllOrNothingAcquire implements AcquireOperation {
    private final ClientCore core;
    private final List<PendingAcquire.LockSpec> specs;
    private final HoldOptions options;
    private final long waitNanos;
    private final long startedAt;

    @GuardedBy("this")
    private final List<RenewingHold> acquired = new ArrayList<>();

    private final CompletableFuture<MultiHold> result = new CompletableFuture<>();

    @GuardedBy("this")
    private @Nullable PendingAcquire current;

    @GuardedBy("this")
    private boolean ended;

    private AllOrNothingAcquire(
            ClientCore core,
            List<PendingAcquire.LockSpec> specs,
            HoldOptions options,
            long waitNanos) {
        this.core = core;
        this.specs = specs;
        this.options = options;
        this.waitNanos = waitNanos;
        startedAt = core.now();
    }

    static AllOrNothingAcquire start(
            ClientCore core,
            List<PendingAcquire.LockSpec> specs,
            HoldOptions options,
            long waitNanos) {
        var acquire = new AllOrNothingAcquire(core, specs, options, waitNanos);
        acquire.next();
        return acquire;
    }

    private void next() {
        int number;
        synchronized (this) {
            if (ended) {
                return;
            }
            number = acquired.size();
        }
        if (number == specs.size()) {
            complete();
            return;
        }
        PendingAcquire pendingAcquire;
        try {
            pendingAcquire =
                    PendingAcquire.start(
                            core, specs.get(number), options.withoutCallbacks(), left());
        } catch (RuntimeException e) {
            fail(e);
            return;
        }
        boolean late;
        synchronized (this) {
            late = ended;
            current = pendingAcquire;
        }
        if (late) {
            releaseIfAny(pendingAcquire.cancel());
        } else {
            pendingAcquire.result().whenComplete(this::ended);
        }
    }

    private long left() {
        return waitNanos == AcquireRequest.FOREVER
                ? waitNanos
                : Math.max(0, startedAt + waitNanos - core.now());
    }

    private void ended(@Nullable RenewingHold hold, @Nullable Throwable failure) {
        if (hold == null) {
            fail(
                    failure instanceof RuntimeException known
                            ? known
                            : new IllegalStateException(failure));
            return;
        }
        boolean late;
        synchronized (this) {
            late = ended;
            if (!late) {
                acquired.add(hold);
            }
        }
        if (late) {
            hold.release();
        } else {
            next();
        }
    }

    private void complete() {
        MultiHold hold;
        boolean all;
        synchronized (this) {
            if (ended) {
                return;
            }
            hold = new MultiHold(core, acquired, options);
            all = hold.isHeld();
            ended = all;
            acquired.clear();
        }
        if (all) {
            hold.handedOut();
            result.complete(hold);
        } else {
            hold.release(); // a part was lost while waiting for the others: start over
            next();
        }
    }

    private boolean fail(RuntimeException failure) {
        List<RenewingHold> unused;
        PendingAcquire pendingAcquire;
        synchronized (this) {
            if (ended) {
                return false;
            }
            ended = true;
            unused = List.copyOf(acquired);
            pendingAcquire = current;
        }
        if (pendingAcquire != null && !pendingAcquire.result().isDone()) {
            releaseIfAny(pendingAcquire.cancel());
        }
        for (int i = unused.size() - 1; i >= 0; i--) {
            unused.get(i).release();
        }
        result.completeExceptionally(failure);
        return true;
    }

    private static void releaseIfAny(@Nullable BaseHold hold) {
        if (hold != null) {
            hold.release();
        }
    }

    @Override
    public CompletableFuture<MultiHold> result() {
        return result;
    }

    @Override
    public @Nullable BaseHold cancel() {
        if (fail(new CancellationException("multi lock"))) {
            return null;
        }
        return AcquireOperation.late(result, core.releaseTimeoutNanos());
    }
}
