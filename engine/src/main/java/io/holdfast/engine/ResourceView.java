package io.holdfast.engine;

/**
 * One key as it was at one moment.
 *
 * @param owner the session of the first hold, 0 if there is none
 * @param leaseLeftNanos what is left of the first hold's lease, {@link Command#FOREVER} without end
 * @param idleNanos how long ago the last activity was
 * @param heldNanos how long the first hold has been there, 0 if there is none
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
