package io.holdfast.engine.view;

import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;

/**
 * A hold or a waiter of a session.
 *
 * @param held true for a hold, false for a waiter
 * @param awaited for a waiter: whether a request is blocked on it
 * @param offered for a hold: whether it is an offer that has not been confirmed
 * @param fence 0 for a waiter
 * @param sinceNanos how long it has been held, or has waited
 * @param leftNanos what is left of the lease or of the wait timeout; {@link Command#FOREVER} if
 *     unlimited
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
