package io.holdfast.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

/**
 * Something that can be held: a lock, a place of a semaphore, one side of a read/write lock, or
 * several locks at once. Immutable: what sets an option returns another one with it.
 *
 * {@snippet :
 * HoldfastLock lock = holdfast.lock("report").lease(Duration.ofSeconds(20));
 * try (Hold hold = lock.acquire(Duration.ofSeconds(10))) {
 *     System.out.println(lock.tryAcquire().isPresent()); // false
 * }
 * System.out.println(lock.withLock(Duration.ofSeconds(10), () -> "done")); // done
 * }
 */
public interface HoldfastLock {
    String key();

    /** The length of the lease; it does not stop renewal. Without it the server's default. */
    HoldfastLock lease(Duration lease);

    /** Whether holds are renewed until they are closed, as they usually are. */
    HoldfastLock renew(boolean renew);

    /** Renewal stops after this, and the hold ends with its last lease. */
    HoldfastLock maxHold(Duration longest);

    /** Holds do not end with the connection: only by their release or their lease. */
    HoldfastLock unbound();

    /** Called once, with the reason, when a hold is lost before it is closed. */
    HoldfastLock onLost(Consumer<LossReason> action);

    /**
     * The thread that acquires is interrupted when its hold is lost before it is closed. What
     * {@link #acquireAsync} gives has no such thread.
     */
    HoldfastLock interruptOnLoss();

    /** Waits as long as it takes. */
    Hold acquire() throws InterruptedException;

    /**
     * Waits at most so long.
     *
     * @throws AcquireTimeoutException if that was not long enough
     */
    Hold acquire(Duration timeout) throws InterruptedException;

    /** Does not wait for others. */
    Optional<Hold> tryAcquire();

    Optional<Hold> tryAcquire(Duration timeout) throws InterruptedException;

    /**
     * Completes with a hold, or with an {@link AcquireTimeoutException}. Cancelling gives up the
     * place in line; a grant that comes all the same is released.
     */
    CompletableFuture<Hold> acquireAsync(Duration timeout);

    /**
     * Gets in line, and returns at once. What is granted before it is awaited is renewed meanwhile,
     * and once more when it is awaited.
     */
    QueuedAcquire enqueue();

    /**
     * Runs the task while holding.
     *
     * @throws LeaseLostException if the hold was lost before the task ended well
     */
    <T> T withLock(Duration timeout, Callable<T> task) throws Exception;

    /**
     * The same as a lock of java.util.concurrent: thin, neither reentrant nor bound to a thread.
     * Each call gives another view, which remembers its holds and who got them; {@code lock()}
     * while it is held waits as anybody would. {@code unlock()} releases what the calling thread
     * got last or, if it got nothing, what another did. Without a hold it throws {@link
     * IllegalMonitorStateException}, and {@link LeaseLostException} if the hold was lost. There are
     * no conditions.
     */
    Lock asJavaLock();
}
