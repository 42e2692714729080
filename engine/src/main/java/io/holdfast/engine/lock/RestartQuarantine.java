package io.holdfast.engine.lock;

import io.holdfast.engine.hash.FieldHash;

/**
 * The period after a start in which an engine grants nothing but shared locks; it ends like a
 * lease.
 */
final class RestartQuarantine extends LockDeadline {
    @Override
    protected void hashFields(FieldHash out) {
        throw new IllegalStateException("a quarantine is not part of the state");
    }
}
