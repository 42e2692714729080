package io.holdfast.client.internal.wire;

import java.util.concurrent.ThreadLocalRandom;

/** The pauses between attempts to connect: doubling, with jitter, up to two seconds. */
final class ReconnectBackoff {
    private static final long FIRST_NANOS = 50_000_000;
    private static final long MAX_NANOS = 2_000_000_000;

    private long next = FIRST_NANOS;

    void reset() {
        next = FIRST_NANOS;
    }

    long nextNanos() {
        long pause = next;
        next = Math.min(2 * next, MAX_NANOS);
        return pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
    }
}
