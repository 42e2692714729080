package io.holdfast.driver.monitor;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import java.util.HashMap;
import java.util.Map;

/**
 * Finds the keys that are waited for most among any number, in bounded memory: the one counted
 * least makes place for a new one, which takes its count over.
 */
final class TopContendedKeys {
    private static final int MAX_KEYS = 32;

    /** Longer names are not kept: they are few, and memory is bounded by this. */
    private static final int MAX_KEY_BYTES = 1024;

    private static final class Count {
        long waits;
    }

    private final Map<ContendedKey.ResourceId, Count> counts = new HashMap<>();

    synchronized void count(ResourceKind resourceKind, Key key) {
        if (key.bytes().length > MAX_KEY_BYTES) {
            return;
        }
        ContendedKey.ResourceId resourceId = new ContendedKey.ResourceId(resourceKind, key);
        Count known = counts.get(resourceId);
        if (known == null) {
            known = new Count();
            if (counts.size() == MAX_KEYS) {
                known.waits = removeLeast();
            }
            counts.put(resourceId, known);
        }
        known.waits++;
    }

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
