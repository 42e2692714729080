package io.holdfast.server.connection;

import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes that many share. What is refused never shows. */
public final class ByteBudget {
    private final long most;
    private final AtomicLong used = new AtomicLong();

    public ByteBudget(long most) {
        this.most = most;
    }

    public boolean tryReserve(long bytes) {
        long now = used.get();
        while (now + bytes <= most) {
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
