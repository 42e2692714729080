package io.holdfast.server.connection;

import java.util.concurrent.atomic.AtomicLong;

/** What all connections together keep of what clients have sent: incomplete requests, names. */
public final class InputBudget {
    private final long most;
    private final AtomicLong bytes = new AtomicLong();

    public InputBudget(long most) {
        this.most = most;
    }

    /** Counts bytes that a connection keeps, or no longer keeps; false if that is too much. */
    public boolean reserve(long change) {
        return change == 0 || bytes.addAndGet(change) <= most || change < 0;
    }
}
