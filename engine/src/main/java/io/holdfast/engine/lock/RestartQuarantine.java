package io.holdfast.engine.lock;

/**
 * The period after a start in which an engine grants nothing but shared locks; it ends like a
 * lease.
 */
final class RestartQuarantine extends LockDeadline {}
