package io.holdfast.server.connection;

import java.util.concurrent.atomic.AtomicLong;

/** Limits the input of clients that all connections together keep: incomplete requests, names. */
public final class InputBudget {
    private final long max;
    private final AtomicLong bytes = new AtomicLong();

    public InputBudget(long max) {
        this.max = max;
    }

    /**
     * Adds to the bytes that connections keep, or subtracts; false if that exceeds the limit, but
     * the change is counted all the same.
     */
    public boolean reserve(long change) {
        return change == 0 || bytes.addAndGet(change) <= max || change < 0;
    }
}
