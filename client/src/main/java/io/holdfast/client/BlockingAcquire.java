package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Waits for acquires. */
final class BlockingAcquire {
    private BlockingAcquire() {}

    /** The hold; interrupted, it gives up first. */
    static BaseHold get(AcquireOperation acquireOperation) throws InterruptedException {
        try {
            return acquireOperation.result().get();
        } catch (InterruptedException e) {
            var late = acquireOperation.cancel();
            if (late != null) {
                late.release();
            }
            throw e;
        } catch (ExecutionException e) {
            throw inThisThread(e.getCause());
        }
    }

    /** The same, but an interrupt is only remembered. */
    static BaseHold getWithoutInterrupt(AcquireOperation acquireOperation) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return acquireOperation.result().get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw inThisThread(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static BaseHold completed(CompletableFuture<? extends BaseHold> result) {
        try {
            return result.join();
        } catch (CompletionException e) {
            throw inThisThread(e.getCause());
        }
    }

    /** With the stack of the one who asked, not of the thread that heard the answer. */
    private static RuntimeException inThisThread(@Nullable Throwable failure) {
        if (failure instanceof LockException known) {
            known.fillInStackTrace();
            return known;
        }
        return failure instanceof RuntimeException other
                ? other
                : new CancellationException(String.valueOf(failure));
    }
}
