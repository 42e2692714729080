package io.holdfast.engine.view;

import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;

import java.util.List;

/**
 * The holders and waiters of a key, up to a maximum number of each.
 *
 * @param held total number of holders
 * @param waiting total number of waiters
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
     * A waiter.
     *
     * @param sinceNanos how long it has waited
     * @param awaited whether a request is blocked on it
     */
    public record Waiter(long session, ReadWriteMode mode, long sinceNanos, boolean awaited) {}
}
