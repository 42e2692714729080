package io.holdfast.client.testing.internal;

import io.holdfast.client.internal.service.AcquireRequest.Kind;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/** A lock or a semaphore with its holders and its queue. Guarded by the server's monitor. */
final class MemoryResource {
    final long limit;
    final Map<String, MemoryHold> holders = new LinkedHashMap<>();
    final Deque<MemoryAttempt> queue = new ArrayDeque<>();
    long idleSince;

    MemoryResource(long limit, long now) {
        this.limit = limit;
        idleSince = now;
    }

    boolean admits(Kind kind) {
        return switch (kind) {
            case LOCK -> holders.isEmpty();
            case READ -> holders.values().stream().allMatch(hold -> hold.kind() == Kind.READ);
            case SEMAPHORE -> holders.size() < limit;
        };
    }

    boolean isIdle() {
        return holders.isEmpty() && queue.isEmpty();
    }
}
