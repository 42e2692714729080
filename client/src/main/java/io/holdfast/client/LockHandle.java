package io.holdfast.client;

import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.thread.SerialExecutor;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

/** A lock with its options: of one key, or of several for a multi lock. */
final class LockHandle implements HoldfastLock {
    private final ClientCore core;
    private final List<PendingAcquire.LockSpec> specs;
    private final boolean isMulti;
    private final HoldOptions options;

    LockHandle(
            ClientCore core,
            List<PendingAcquire.LockSpec> specs,
            boolean isMulti,
            HoldOptions options) {
        this.core = core;
        this.specs = specs;
        this.isMulti = isMulti;
        this.options = options;
    }

    private LockHandle with(HoldOptions other) {
        return new LockHandle(core, specs, isMulti, other);
    }

    private AcquireOperation start(long waitNanos) {
        return isMulti
                ? AllOrNothingAcquire.start(core, specs, options, waitNanos)
                : PendingAcquire.start(core, specs.get(0), options, waitNanos);
    }

    @Override
    public String key() {
        return String.join(",", specs.stream().map(PendingAcquire.LockSpec::key).toList());
    }

    @Override
    public HoldfastLock lease(Duration lease) {
        return with(options.withLease(SaturatedNanos.lease(lease)));
    }

    @Override
    public HoldfastLock renew(boolean renew) {
        return with(options.withRenew(renew));
    }

    @Override
    public HoldfastLock maxHold(Duration maxHold) {
        if (maxHold.isNegative() || maxHold.isZero()) {
            throw new IllegalArgumentException("maxHold must be positive but is " + maxHold);
        }
        return with(options.withMaxHold(SaturatedNanos.saturated(maxHold)));
    }

    @Override
    public HoldfastLock unbound() {
        return with(options.withUnbound());
    }

    @Override
    public HoldfastLock onLost(Consumer<LossReason> action) {
        return with(options.withOnLost(action));
    }

    @Override
    public HoldfastLock interruptOnLoss() {
        return with(options.withInterrupt());
    }

    @Override
    public Hold acquire() throws InterruptedException {
        return obtain(AcquireRequest.FOREVER);
    }

    @Override
    public Hold acquire(Duration timeout) throws InterruptedException {
        return obtain(SaturatedNanos.waiting(timeout));
    }

    private Hold obtain(long waitNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        var hold = BlockingAcquire.get(start(waitNanos));
        hold.interruptOnLoss(Thread.currentThread());
        return hold;
    }

    @Override
    public Optional<Hold> tryAcquire() {
        try {
            var hold = BlockingAcquire.getWithoutInterrupt(start(0));
            hold.interruptOnLoss(Thread.currentThread());
            return Optional.of(hold);
        } catch (AcquireTimeoutException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<Hold> tryAcquire(Duration timeout) throws InterruptedException {
        try {
            return Optional.of(acquire(timeout));
        } catch (AcquireTimeoutException e) {
            return Optional.empty();
        }
    }

    /** For {@link JavaLock#lock()}, which is not interruptible. */
    Hold acquireWithoutInterrupt() {
        var hold = BlockingAcquire.getWithoutInterrupt(start(AcquireRequest.FOREVER));
        hold.interruptOnLoss(Thread.currentThread());
        return hold;
    }

    @Override
    public CompletableFuture<Hold> acquireAsync(Duration timeout) {
        long waitNanos = SaturatedNanos.waiting(timeout);
        var future = new CompletableFuture<Hold>();
        AcquireOperation acquireOperation;
        try {
            acquireOperation = start(waitNanos);
        } catch (LockException e) {
            future.completeExceptionally(e);
            return future;
        }
        var ended = new AtomicBoolean();
        // Registered before the future is returned, so that it runs whatever completes it: a
        // cancel, orTimeout, or the user.
        future.whenComplete(
                (hold, failure) -> {
                    if (!ended.get()) {
                        releaseLate(acquireOperation);
                    }
                });
        acquireOperation
                .result()
                .whenComplete(
                        (hold, failure) ->
                                SerialExecutor.execute(
                                        core.callbacks(),
                                        () -> {
                                            ended.set(true);
                                            finish(future, hold, failure);
                                        }));
        return future;
    }

    private static void finish(
            CompletableFuture<Hold> future, @Nullable BaseHold hold, @Nullable Throwable failure) {
        if (failure != null) {
            future.completeExceptionally(failure);
        } else if (hold != null && !future.complete(hold)) {
            hold.release();
        }
    }

    private static void releaseLate(AcquireOperation acquireOperation) {
        var late = acquireOperation.cancel();
        if (late != null) {
            late.release();
        }
    }

    @Override
    public QueuedAcquire enqueue() {
        return new QueuedAcquireHandle(core, key(), start(AcquireRequest.FOREVER));
    }

    @Override
    public <T> T withLock(Duration timeout, Callable<T> task) throws Exception {
        try (var hold = acquire(timeout)) {
            T value = task.call();
            if (!hold.isHeld() && hold.lossReason().isPresent()) {
                hold.ensureHeld();
            }
            return value;
        }
    }

    @Override
    public Lock asJavaLock() {
        return new JavaLock(this);
    }

    @Override
    public String toString() {
        return "HoldfastLock[" + key() + "]";
    }
}
