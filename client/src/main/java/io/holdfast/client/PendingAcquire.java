package io.holdfast.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.client.ClientEventListener.AcquireResult;
import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** The acquire of one key. Ends exactly once; a grant that arrives after the end is released. */
final class PendingAcquire implements AcquireOperation, ClientCore.Part {
    private static final long PAUSE = 100_000_000L;

    private final ClientCore core;
    private final LockService service;
    private final LockSpec lockSpec;
    private final HoldOptions options;
    private final long waitNanos;
    private final long startedAt;
    private final CompletableFuture<RenewingHold> result = new CompletableFuture<>();

    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private int attempts;

    @GuardedBy("this")
    private @Nullable AcquireAttempt acquireAttempt;

    @GuardedBy("this")
    private @Nullable RenewingHold renewingFirst;

    @GuardedBy("this")
    private TimerClock.@Nullable Timer safetyTimer;

    private PendingAcquire(
            ClientCore core, LockSpec lockSpec, HoldOptions options, long waitNanos) {
        this.core = core;
        service = core.serviceOf(lockSpec.key());
        this.lockSpec = lockSpec;
        this.options = options;
        this.waitNanos = waitNanos;
        startedAt = core.now();
    }

    /** The resource to acquire. */
    record LockSpec(AcquireRequest.Kind kind, String key, long limit) {
        String describe() {
            return switch (kind) {
                case LOCK -> "lock " + key;
                case READ -> "read lock " + key;
                case SEMAPHORE -> "semaphore " + key;
            };
        }
    }

    static PendingAcquire start(
            ClientCore core, LockSpec lockSpec, HoldOptions options, long waitNanos) {
        core.ensureOpen(lockSpec.describe());
        var pendingAcquire = new PendingAcquire(core, lockSpec, options, waitNanos);
        pendingAcquire.ensureSupported();
        if (core.add(pendingAcquire)) {
            pendingAcquire.startSafetyTimer();
            pendingAcquire.send(waitNanos);
        } else {
            pendingAcquire.clientClosed();
        }
        return pendingAcquire;
    }

    private void ensureSupported() {
        var serviceFeatures = service.features();
        if (lockSpec.kind() == AcquireRequest.Kind.READ && !serviceFeatures.readWrite()) {
            throw new UnsupportedByServerException(
                    ClientExceptions.unsupported(lockSpec.describe(), service.address()), null);
        }
        if (options.unbound() && !serviceFeatures.unbound()) {
            throw new UnsupportedByServerException(
                    ClientExceptions.unsupported(
                            "unbound hold of " + lockSpec.describe(), service.address()),
                    null);
        }
    }

    /** Ends the acquire even if the service never reports an outcome. */
    private void startSafetyTimer() {
        if (waitNanos != AcquireRequest.FOREVER) {
            long maxNanos = SaturatedNanos.capped(waitNanos) + core.responseTimeoutNanos();
            var timer = core.clock().schedule(maxNanos, this::expire);
            synchronized (this) {
                safetyTimer = timer;
            }
        }
    }

    private void send(long nanos) {
        int number;
        synchronized (this) {
            if (ended) {
                return;
            }
            number = ++attempts;
            acquireAttempt = null;
        }
        var attempt =
                service.acquire(
                        new AcquireRequest(
                                lockSpec.kind(),
                                lockSpec.key(),
                                lockSpec.limit(),
                                nanos,
                                options.leaseNanos(),
                                options.unbound()),
                        this::ended);
        boolean late;
        synchronized (this) {
            late = ended;
            if (number == attempts) {
                acquireAttempt = attempt;
            }
        }
        if (late) {
            attempt.cancel();
        }
    }

    private void ended(AcquireOutcome acquireOutcome) {
        if (acquireOutcome instanceof AcquireOutcome.Granted granted) {
            granted(granted.hold());
        } else if (acquireOutcome instanceof AcquireOutcome.TimedOut) {
            fail(AcquireResult.TIMED_OUT, timedOut());
        } else if (acquireOutcome instanceof AcquireOutcome.Failed failed) {
            fail(
                    AcquireResult.FAILED,
                    ClientExceptions.of(failed.failure(), lockSpec.describe(), service.address()));
        } else if (core.isClosed()) {
            fail(AcquireResult.FAILED, ClientExceptions.closed(lockSpec.describe()));
        } else {
            fail(AcquireResult.CANCELLED, new CancellationException(lockSpec.describe()));
        }
    }

    private LockException timedOut() {
        return ClientExceptions.timedOut(lockSpec.describe(), service.address());
    }

    private void granted(GrantedHold granted) {
        var hold = new RenewingHold(core, granted, options, service.address());
        boolean late;
        synchronized (this) {
            late = ended;
            renewingFirst = ended ? null : hold;
        }
        if (late) {
            hold.release();
        } else if (hold.isFresh()) {
            handOver(hold);
        } else {
            // The grant took long: counted from the request, the lease may have expired.
            hold.internalAction(reason -> retry(hold));
            renewFirst(hold);
        }
    }

    private void renewFirst(RenewingHold hold) {
        hold.refresh(options.leaseNanos())
                .whenComplete(
                        (nanos, failure) -> {
                            if (failure != null) {
                                core.clock().schedule(PAUSE, () -> renewAgain(hold, failure));
                            } else if (nanos >= 0) {
                                handOver(hold);
                            }
                        });
    }

    private void renewAgain(RenewingHold hold, Throwable failure) {
        synchronized (this) {
            if (renewingFirst != hold) {
                return;
            }
        }
        if (failure instanceof ServiceException service
                && service.kind() == ServiceException.Kind.CLOSED) {
            fail(AcquireResult.FAILED, ClientExceptions.closed(lockSpec.describe()));
        } else {
            renewFirst(hold);
        }
    }

    /** Acquires again: the hold was lost before it was handed to the caller. */
    private void retry(RenewingHold hold) {
        synchronized (this) {
            if (ended || renewingFirst != hold) {
                return;
            }
            renewingFirst = null;
        }
        if (waitNanos == AcquireRequest.FOREVER) {
            send(waitNanos);
            return;
        }
        long left = startedAt + waitNanos - core.now();
        if (left > 0) {
            send(left);
        } else {
            fail(AcquireResult.TIMED_OUT, timedOut());
        }
    }

    private void handOver(RenewingHold hold) {
        synchronized (this) {
            if (ended || renewingFirst != hold) {
                return; // ended before, and the hold was released then
            }
            ended = true;
            renewingFirst = null;
        }
        finish(AcquireResult.ACQUIRED);
        if (hold.start() || !core.isClosed()) {
            result.complete(hold);
        } else {
            hold.releaseUnused(LossReason.CLIENT_CLOSED);
            result.completeExceptionally(ClientExceptions.closed(lockSpec.describe()));
        }
    }

    private void expire() {
        fail(AcquireResult.TIMED_OUT, timedOut());
    }

    private boolean fail(AcquireResult how, RuntimeException failure) {
        AcquireAttempt attempt;
        RenewingHold unused;
        synchronized (this) {
            if (ended) {
                return false;
            }
            ended = true;
            attempt = acquireAttempt;
            unused = renewingFirst;
            renewingFirst = null;
        }
        if (unused != null) {
            unused.release();
        }
        if (attempt != null) {
            attempt.cancel();
        }
        finish(how);
        result.completeExceptionally(failure);
        return true;
    }

    private void finish(AcquireResult how) {
        TimerClock.Timer timer;
        synchronized (this) {
            timer = safetyTimer;
        }
        if (timer != null) {
            timer.cancel();
        }
        core.remove(this);
        var waited = Duration.ofNanos(core.now() - startedAt);
        core.notifyListeners(listener -> listener.acquireEnded(lockSpec.key(), how, waited));
    }

    @Override
    public CompletableFuture<RenewingHold> result() {
        return result;
    }

    @Override
    public @Nullable BaseHold cancel() {
        if (fail(AcquireResult.CANCELLED, new CancellationException(lockSpec.describe()))) {
            return null;
        }
        return AcquireOperation.late(result, core.releaseTimeoutNanos());
    }

    @Override
    public void clientClosed() {
        fail(AcquireResult.FAILED, ClientExceptions.closed(lockSpec.describe()));
    }
}
