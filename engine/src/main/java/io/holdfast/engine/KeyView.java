package io.holdfast.engine;

import java.util.List;

/**
 * How a key stands at one moment.
 *
 * @param held how many hold it
 * @param waiters how many wait for it
 * @param holders the first of them, in order of grant
 * @param queue some of those who wait, in order of arrival
 */
public record KeyView(
        ResourceKind kind,
        long limit,
        int held,
        int waiters,
        List<Holder> holders,
        List<Waiter> queue) {
    /**
     * One of those who hold it.
     *
     * @param heldNanos how long
     * @param leaseLeftNanos {@link Command#FOREVER} without end
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
     * One of those who wait.
     *
     * @param position 1 for the one who came first
     * @param waitedNanos how long
     * @param leftNanos {@link Command#FOREVER} without end
     */
    public record Waiter(
            long session, int position, ReadWriteMode mode, long waitedNanos, long leftNanos) {}
}
