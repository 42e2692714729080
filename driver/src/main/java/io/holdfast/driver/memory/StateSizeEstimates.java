package io.holdfast.driver.memory;

import io.holdfast.engine.Key;

/**
 * Estimated heap sizes in bytes of pieces of state, with compact object headers, measured by {@code
 * HeapPerLock} in the module {@code bench}. Memory budgets use these numbers; their error is
 * covered by the heap guard, which measures the heap.
 */
public final class StateSizeEstimates {
    public static final int HOLD = 120;
    public static final int WAIT = 136;
    private static final int NAME = 184;
    private static final int ENTRY = 176;

    private StateSizeEstimates() {}

    /** An unused lock or semaphore. */
    public static int name(Key key) {
        return NAME + key.bytes().length;
    }

    /** A counter, value or list without its content. */
    public static int entry(Key key) {
        return ENTRY + key.bytes().length;
    }
}
