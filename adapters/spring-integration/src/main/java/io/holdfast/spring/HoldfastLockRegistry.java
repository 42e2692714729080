package io.holdfast.spring;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.LeaseLostException;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import java.time.Duration;

/**
 * Spring Integration locks that are held across processes. A lock belongs to a thread and is
 * reentrant, as Spring requires. Without a time to live its lease is renewed until it is unlocked;
 * with one it ends after that time, unless {@link #renewLock} extends it.
 *
 * <p>A thread whose lock was lost (because the connection or the time to live ended) gets an
 * exception: {@code unlock} throws a {@link java.util.ConcurrentModificationException}, and
 * acquiring the lock again in the same thread throws a {@link LeaseLostException}.
 *
 * <p>The registry stores nothing about keys that are not in use, so no entries need to expire.
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

    /** The key of a lock on the server is {@code spring:} followed by its name. */
    public HoldfastLockRegistry(Holdfast client) {
        this(client, PREFIX);
    }

    /**
     * The key of a lock on the server is the prefix, which may be empty, followed by its name.
     * Blanks and control characters in a name are percent-encoded ({@code %20}); the end of a name
     * that is too long is replaced by a hash.
     */
    public HoldfastLockRegistry(Holdfast client, String prefix) {
        keys = new LockKeyEncoder(prefix);
        locals = new InProcessKeyLocks(client);
    }

    /**
     * Returns the lock of that name: each call returns a new object for the same lock.
     *
     * @param lockKey the name, which must be a String
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return new ThreadBoundLock(keys.of(lockKey), locals);
    }

    /**
     * Renews the lease of a lock that a thread of this process holds.
     *
     * @throws IllegalStateException if no thread holds the lock, or it was lost
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
     * As {@link #renewLock(Object)}, with a new time to live.
     *
     * @throws IllegalStateException if no thread holds the lock, or it was lost
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
                                        "no thread of this process holds the lock " + lockKey));
    }

    @Override
    public String toString() {
        return LockRegistry.class.getSimpleName() + " of Holdfast, " + keys;
    }
}
