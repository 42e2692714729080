package io.holdfast.engine.lock;

/** The state of a request: queued or granted. */
sealed interface HoldOrWaiter permits Hold, Waiter {}
