package io.holdfast.driver.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import java.util.HashMap;
import java.util.Map;

/**
 * Finds the most contended keys in bounded memory with the Space-Saving algorithm: a new key
 * replaces the one with the lowest count and takes over that count. Thread-safe.
 */
final class TopContendedKeys {
    private static final int MAX_KEYS = 32;

    /** Longer keys are ignored, to bound the memory. */
    private static final int MAX_KEY_BYTES = 1024;

    private static final class Count {
        long waits;
    }

    @GuardedBy("this")
    private final Map<ContendedKey.ResourceId, Count> counts = new HashMap<>();

    synchronized void count(ResourceKind resourceKind, Key key) {
        if (key.bytes().length > MAX_KEY_BYTES) {
            return;
        }
        ContendedKey.ResourceId resourceId = new ContendedKey.ResourceId(resourceKind, key);
        Count current = counts.get(resourceId);
        if (current == null) {
            current = new Count();
            if (counts.size() == MAX_KEYS) {
                current.waits = removeLeast();
            }
            counts.put(resourceId, current);
        }
        current.waits++;
    }

    @GuardedBy("this")
    private long removeLeast() {
        Map.Entry<ContendedKey.ResourceId, Count> least = null;
        for (Map.Entry<ContendedKey.ResourceId, Count> entry : counts.entrySet()) {
            if (least == null || entry.getValue().waits < least.getValue().waits) {
                least = entry;
            }
        }
        if (least == null) {
            return 0;
        }
        counts.remove(least.getKey());
        return least.getValue().waits;
    }

    synchronized void addTo(Map<ContendedKey.ResourceId, Long> sum) {
        counts.forEach((resourceId, count) -> sum.merge(resourceId, count.waits, Long::sum));
    }
}
