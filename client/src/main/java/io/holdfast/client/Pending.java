package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/** An acquire under way. */
interface Pending {
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
    @Nullable BaseHold giveUp();
}
