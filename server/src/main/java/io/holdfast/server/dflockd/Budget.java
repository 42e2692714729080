package io.holdfast.server.dflockd;

import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes that many share. What is refused never shows. */
final class Budget {
    private final long most;
    private final AtomicLong used = new AtomicLong();

    Budget(long most) {
        this.most = most;
    }

    boolean take(long bytes) {
        long now = used.get();
        while (now + bytes <= most) {
            if (used.compareAndSet(now, now + bytes)) {
                return true;
            }
            now = used.get();
        }
        return false;
    }

    void giveBack(long bytes) {
        used.addAndGet(-bytes);
    }
}
