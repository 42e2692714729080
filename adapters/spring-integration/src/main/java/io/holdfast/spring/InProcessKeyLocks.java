package io.holdfast.spring;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastLock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The locks that threads of this process hold or wait for, by key. An entry is removed when it has
 * no users.
 */
final class InProcessKeyLocks {
    private final Holdfast client;
    private final ConcurrentMap<String, InProcessKeyLock> inUse = new ConcurrentHashMap<>();

    InProcessKeyLocks(Holdfast client) {
        this.client = client;
    }

    /**
     * The lock on the server: renewed until released without a time to live, not renewed with one.
     */
    HoldfastLock serverLock(String key, @Nullable Duration ttl) {
        HoldfastLock lock = client.lock(key);
        return ttl == null ? lock : lock.lease(ttl).renew(false);
    }

    /** Adds a user of the key. Each call must be followed by one of {@link #leave}. */
    InProcessKeyLock enter(String key) {
        return inUse.compute(
                key,
                (unused, present) -> {
                    InProcessKeyLock lock = present == null ? new InProcessKeyLock() : present;
                    lock.users++;
                    return lock;
                });
    }

    void leave(String key) {
        inUse.computeIfPresent(key, (unused, lock) -> --lock.users == 0 ? null : lock);
    }

    /** The lock of the key, if this thread holds its gate. */
    Optional<InProcessKeyLock> mine(String key) {
        return Optional.ofNullable(inUse.get(key))
                .filter(lock -> lock.gate.isHeldByCurrentThread());
    }

    Optional<Hold> holdOf(String key) {
        return Optional.ofNullable(inUse.get(key)).flatMap(lock -> Optional.ofNullable(lock.hold));
    }

    int size() {
        return inUse.size();
    }
}
