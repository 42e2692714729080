package io.holdfast.server.dflockd;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for lines that were pushed and not yet written, over all connections. A connection may
 * have its own share of it, but all together must not fill the memory: when half of the budget is
 * used, those who do not read are cut off, and when all is used, everybody who gets another line.
 */
final class PushBudget {
    private final long mostBytes;
    private final AtomicLong used = new AtomicLong();

    PushBudget(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    void take(int bytes) {
        used.addAndGet(bytes);
    }

    void giveBack(int bytes) {
        used.addAndGet(-bytes);
    }

    long usedBytes() {
        return used.get();
    }

    boolean isTight() {
        return used.get() > mostBytes / 2;
    }

    boolean isExhausted() {
        return used.get() > mostBytes;
    }
}
