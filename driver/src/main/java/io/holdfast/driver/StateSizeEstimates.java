package io.holdfast.driver;

import io.holdfast.engine.Key;

/**
 * What pieces of state take in a heap with compact object headers, about: measured by {@code
 * HeapPerLock} in the module {@code bench}. Budgets are kept by these numbers; what they get wrong,
 * the guard of the heap measures.
 */
public final class StateSizeEstimates {
    public static final int HOLD = 112;
    public static final int WAIT = 128;
    private static final int NAME = 176;
    private static final int ENTRY = 160;

    private StateSizeEstimates() {}

    /** A lock or semaphore that nobody uses. */
    public static int name(Key key) {
        return NAME + key.bytes().length;
    }

    /** A counter, value or list, without what is in it. */
    public static int entry(Key key) {
        return ENTRY + key.bytes().length;
    }
}
