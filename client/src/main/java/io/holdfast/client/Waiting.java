package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Waits for acquires. */
final class Waiting {
    private Waiting() {}

    /** The hold; interrupted, it gives up first. */
    static BaseHold get(Pending pending) throws InterruptedException {
        try {
            return pending.result().get();
        } catch (InterruptedException e) {
            var late = pending.giveUp();
            if (late != null) {
                late.release();
            }
            throw e;
        } catch (ExecutionException e) {
            throw inThisThread(e.getCause());
        }
    }

    /** The same, but an interrupt is only remembered. */
    static BaseHold getWithoutInterrupt(Pending pending) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return pending.result().get();
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
