package io.holdfast.server.connection;

import java.util.concurrent.atomic.AtomicLong;

/** A shared limit of bytes. A refused reservation is never visible to other threads. */
public final class ByteBudget {
    private final long max;
    private final AtomicLong used = new AtomicLong();

    public ByteBudget(long max) {
        this.max = max;
    }

    public boolean tryReserve(long bytes) {
        long now = used.get();
        while (now + bytes <= max) {
            if (used.compareAndSet(now, now + bytes)) {
                return true;
            }
            now = used.get();
        }
        return false;
    }

    public void release(long bytes) {
        used.addAndGet(-bytes);
    }
}
