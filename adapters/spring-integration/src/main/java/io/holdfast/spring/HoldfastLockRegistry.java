package io.holdfast.spring;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.LeaseLostException;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import java.time.Duration;

/**
 * Locks of Spring Integration that hold between processes. A lock belongs to a thread and is
 * reentrant, as Spring wants it. Without a time to live its lease is renewed until it is unlocked;
 * with one it ends after that time, unless {@link #renewLock} makes it longer.
 *
 * <p>A thread whose lock was lost (the connection, or the time to live, ended) learns it: {@code
 * unlock} throws a {@link java.util.ConcurrentModificationException}, and taking the lock once more
 * in the same thread a {@link LeaseLostException}.
 *
 * <p>The registry keeps nothing about keys that are not in use, so there is nothing to expire.
 *
 * {@snippet :
 * @Bean
 * LockRegistry<DistributedLock> lockRegistry(Holdfast client) {
 *     return new HoldfastLockRegistry(client);
 * }
 * }
 */
public final class HoldfastLockRegistry implements RenewableLockRegistry<DistributedLock> {
    private static final String PREFIX = "spring:";

    private final LockKeyEncoder keys;
    private final InProcessKeyLocks locals;

    /** A lock's key at the server is {@code spring:} and its name. */
    public HoldfastLockRegistry(Holdfast client) {
        this(client, PREFIX);
    }

    /**
     * A lock's key at the server is the prefix, which may be empty, and its name. Blanks and
     * control characters in a name are written as {@code %20} and so on; of a name that is too
     * long, the end is replaced by a hash.
     */
    public HoldfastLockRegistry(Holdfast client, String prefix) {
        keys = new LockKeyEncoder(prefix);
        locals = new InProcessKeyLocks(client);
    }

    /**
     * The lock of that name; a new object each time, for the same lock.
     *
     * @param lockKey a String
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return new ThreadBoundLock(keys.of(lockKey), locals);
    }

    /**
     * Starts the lease of a lock anew that a thread of this process has.
     *
     * @throws IllegalStateException if none has it, or it was lost
     */
    @Override
    public void renewLock(Object lockKey) {
        Hold hold = held(lockKey);
        try {
            hold.renew();
        } catch (LeaseLostException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /**
     * As {@link #renewLock(Object)}, with another time to live from now on.
     *
     * @throws IllegalStateException if none has it, or it was lost
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        Hold hold = held(lockKey);
        try {
            hold.renew(ttl);
        } catch (LeaseLostException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private Hold held(Object lockKey) {
        return locals.holdOf(keys.of(lockKey))
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "no thread of this process has the lock " + lockKey));
    }

    @Override
    public String toString() {
        return LockRegistry.class.getSimpleName() + " of Holdfast, " + keys;
    }
}
