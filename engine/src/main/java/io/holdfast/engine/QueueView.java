package io.holdfast.engine;

import java.util.List;

/**
 * Who waits for a key and who has it, so many of each at most.
 *
 * @param holders sessions, in order of grant
 * @param waiters in order of arrival
 */
public record QueueView(
        ResourceKind kind,
        Key key,
        int held,
        int waiting,
        List<Long> holders,
        List<Waiter> waiters) {
    /**
     * One of those who wait.
     *
     * @param sinceNanos how long it has waited
     * @param awaited whether somebody is blocked until it is granted
     */
    public record Waiter(long session, ReadWriteMode mode, long sinceNanos, boolean awaited) {}
}
