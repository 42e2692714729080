package io.holdfast.engine.lock;

import io.holdfast.engine.time.Deadline;

/** The end of a lease or of an offer, of a wait, or of the restart quarantine. */
abstract sealed class LockDeadline extends Deadline permits Hold, Waiter, RestartQuarantine {}
