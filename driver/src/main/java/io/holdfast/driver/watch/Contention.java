package io.holdfast.driver.watch;

import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;

import java.util.HashMap;
import java.util.Map;

/**
 * Finds the keys that are waited for most among any number, in bounded memory: the one counted
 * least makes place for a new one, which takes its count over.
 */
final class Contention {
    private static final int KEPT = 32;

    /** Longer names are not kept: they are few, and memory is bounded by this. */
    private static final int LONGEST_KEY = 1024;

    private static final class Count {
        long waits;
    }

    private final Map<Contended.Name, Count> counts = new HashMap<>();

    synchronized void count(Kind kind, Key key) {
        if (key.bytes().length > LONGEST_KEY) {
            return;
        }
        Contended.Name name = new Contended.Name(kind, key);
        Count known = counts.get(name);
        if (known == null) {
            known = new Count();
            if (counts.size() == KEPT) {
                known.waits = removeLeast();
            }
            counts.put(name, known);
        }
        known.waits++;
    }

    private long removeLeast() {
        Map.Entry<Contended.Name, Count> least = null;
        for (Map.Entry<Contended.Name, Count> entry : counts.entrySet()) {
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

    synchronized void addTo(Map<Contended.Name, Long> sum) {
        counts.forEach((name, count) -> sum.merge(name, count.waits, Long::sum));
    }
}
