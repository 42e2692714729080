package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Blocks until an acquire has ended. */
final class BlockingAcquire {
    private BlockingAcquire() {}

    /** Returns the hold. When interrupted, cancels the acquire before it throws. */
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

    /** The same, but not interruptible: restores the interrupt flag at the end. */
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

    /**
     * Gives the exception the stack trace of the calling thread in place of that of the thread that
     * read the response.
     */
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
