package io.holdfast.driver;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Fences that start at the wall clock in nanoseconds: they increase across restarts as long as the
 * clock is not set back.
 */
public final class ClockFences implements Fences {
    private final AtomicLong last = new AtomicLong(wallClockNanos());

    static long wallClockNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    @Override
    public long next() {
        return last.incrementAndGet();
    }

    @Override
    public void raise(long floor) {
        last.accumulateAndGet(Fences.checkFloor(floor), Math::max);
    }

    @Override
    public void close() {}
}
