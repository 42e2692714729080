package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/** An acquire that has been started. */
interface AcquireOperation {
    /**
     * The hold, or a {@link LockException}. Completes on any thread, such as one that reads a
     * socket: dependent stages must not block and must not run user code.
     */
    CompletableFuture<? extends BaseHold> result();

    /**
     * Cancels the acquire. A grant that arrives later is released.
     *
     * @return the hold if the acquire had been granted before, otherwise null
     */
    @Nullable BaseHold cancel();

    /**
     * The hold of an acquire that had ended before it was cancelled; null if it failed. The thread
     * that ended the acquire may not have completed the result yet, so this waits up to {@code
     * nanos}. A hold that arrives after that is released.
     */
    static @Nullable BaseHold late(CompletableFuture<? extends BaseHold> result, long nanos) {
        var valueOrFailure = ClientCore.await(result, nanos);
        if (valueOrFailure != null) {
            return valueOrFailure.value();
        }
        result.whenComplete(
                (hold, failure) -> {
                    if (hold != null) {
                        hold.release();
                    }
                });
        return null;
    }
}
