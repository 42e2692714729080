package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/** An acquire under way. */
interface AcquireOperation {
    /**
     * The hold, or a {@link LockException}. Completes on any thread: nothing that hangs on it may
     * block or be the user's.
     */
    CompletableFuture<? extends BaseHold> result();

    /**
     * Gives up. A grant that comes later is released.
     *
     * @return the hold if it was granted before
     */
    @Nullable BaseHold cancel();

    /**
     * The hold of one that ended before it was given up. Whoever ended it completes the result at
     * once, though perhaps not yet; a hold that comes after the wait is released.
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
