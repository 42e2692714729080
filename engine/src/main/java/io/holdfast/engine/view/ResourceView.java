package io.holdfast.engine.view;

import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;

/**
 * A key at one moment.
 *
 * @param owner the session of the first hold, 0 if there is none
 * @param leaseLeftNanos what is left of the first hold's lease, {@link Command#FOREVER} if
 *     unlimited
 * @param idleNanos time since the last activity
 * @param heldNanos age of the first hold, 0 if there is none
 * @param mode of the first hold
 * @param fence of the first hold, 0 if there is none
 */
public record ResourceView(
        ResourceKind kind,
        Key key,
        long limit,
        int holders,
        int waiters,
        long owner,
        long leaseLeftNanos,
        long idleNanos,
        long heldNanos,
        ReadWriteMode mode,
        long fence) {}
