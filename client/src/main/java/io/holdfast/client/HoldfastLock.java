package io.holdfast.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

/**
 * Something that can be held: a lock, a permit of a semaphore, one side of a read/write lock, or
 * several locks at once. Immutable: methods that set an option return a new object.
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

    /** Sets the length of the lease; it does not disable renewal. The default is the server's. */
    HoldfastLock lease(Duration lease);

    /** Sets whether holds are renewed until they are closed; the default is true. */
    HoldfastLock renew(boolean renew);

    /** Stops renewal of a hold after this time, so that it ends with its last lease. */
    HoldfastLock maxHold(Duration maxHold);

    /** Makes holds independent of the connection: they end only by release or with their lease. */
    HoldfastLock unbound();

    /**
     * Adds an action that is called once with the reason when a hold is lost before it is closed.
     */
    HoldfastLock onLost(Consumer<LossReason> action);

    /**
     * Interrupts the acquiring thread when its hold is lost before it is closed. Has no effect on
     * holds of {@link #acquireAsync}.
     */
    HoldfastLock interruptOnLoss();

    /** Acquires, without a timeout. */
    Hold acquire() throws InterruptedException;

    /**
     * Acquires, waiting up to {@code timeout}.
     *
     * @throws AcquireTimeoutException if the lock was not acquired within the timeout
     */
    Hold acquire(Duration timeout) throws InterruptedException;

    /** Acquires if that is possible at once; does not wait for other holders. */
    Optional<Hold> tryAcquire();

    Optional<Hold> tryAcquire(Duration timeout) throws InterruptedException;

    /**
     * Completes with a hold, or with an {@link AcquireTimeoutException}. Cancelling the future
     * removes the waiter from the queue; a grant that arrives nevertheless is released.
     */
    CompletableFuture<Hold> acquireAsync(Duration timeout);

    /**
     * Enqueues an acquire and returns at once. A hold that is granted before it is awaited is
     * renewed until then, and once more when it is awaited.
     */
    QueuedAcquire enqueue();

    /**
     * Runs the task while holding the lock.
     *
     * @throws LeaseLostException if the hold was lost before the task completed normally
     */
    <T> T withLock(Duration timeout, Callable<T> task) throws Exception;

    /**
     * An adapter to java.util.concurrent, neither reentrant nor bound to a thread. Each call
     * returns a new adapter, which tracks its holds and the threads that acquired them; {@code
     * lock()} while it is held waits like any other client. {@code unlock()} releases the most
     * recent hold of the calling thread or, if it has none, the most recent hold of any thread. It
     * throws {@link IllegalMonitorStateException} if there is no hold, and {@link
     * LeaseLostException} if the hold was lost. Conditions are not supported.
     */
    Lock asJavaLock();
}
