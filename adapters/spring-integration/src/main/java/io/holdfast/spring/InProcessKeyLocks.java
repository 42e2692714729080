package io.holdfast.spring;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastLock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What threads of this process have or want, by key; nothing else is kept. */
final class InProcessKeyLocks {
    private final Holdfast client;
    private final ConcurrentMap<String, InProcessKeyLock> inUse = new ConcurrentHashMap<>();

    InProcessKeyLocks(Holdfast client) {
        this.client = client;
    }

    /** How to ask the server: renewed until released, or with a time to live and not renewed. */
    HoldfastLock at(String key, @Nullable Duration ttl) {
        HoldfastLock lock = client.lock(key);
        return ttl == null ? lock : lock.lease(ttl).renew(false);
    }

    /** Each call wants one of {@link #leave}. */
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

    /** The one that this thread has. */
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
