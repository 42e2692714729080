package io.holdfast.engine;

/** The state of a request: queued or granted. */
sealed interface HoldOrWaiter permits Hold, Waiter {}
