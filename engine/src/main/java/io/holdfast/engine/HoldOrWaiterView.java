package io.holdfast.engine;

/**
 * Something a session holds or waits for.
 *
 * @param held whether it is held, and not waited for
 * @param awaited whether it is waited for, and somebody is blocked until it is granted
 * @param offered whether it is held but not confirmed yet
 * @param fence 0 unless it is held
 * @param sinceNanos how long it has been held, or waited for
 * @param leftNanos what is left of the lease, or of the wait; {@link Command#FOREVER} without end
 */
public record HoldOrWaiterView(
        ResourceKind kind,
        Key key,
        ReadWriteMode mode,
        boolean held,
        boolean awaited,
        boolean offered,
        long fence,
        long sinceNanos,
        long leftNanos) {}
