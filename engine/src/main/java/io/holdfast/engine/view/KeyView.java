package io.holdfast.engine.view;

import io.holdfast.engine.Command;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;

import java.util.List;

/**
 * The holders and waiters of a key at one moment.
 *
 * @param held total number of holders
 * @param waiters total number of waiters
 * @param holders the first holders, in order of grant
 * @param queue a range of the waiters, in order of arrival
 */
public record KeyView(
        ResourceKind kind,
        long limit,
        int held,
        int waiters,
        List<Holder> holders,
        List<Waiter> queue) {
    /**
     * A holder.
     *
     * @param heldNanos how long it has held the key
     * @param leaseLeftNanos {@link Command#FOREVER} if unlimited
     * @param offered whether it has not been confirmed yet
     */
    public record Holder(
            long session,
            long fence,
            ReadWriteMode mode,
            long heldNanos,
            long leaseLeftNanos,
            boolean offered) {}

    /**
     * A waiter.
     *
     * @param position counted from 1
     * @param waitedNanos how long it has waited
     * @param leftNanos what is left of the wait timeout, {@link Command#FOREVER} if unlimited
     */
    public record Waiter(
            long session, int position, ReadWriteMode mode, long waitedNanos, long leftNanos) {}
}
