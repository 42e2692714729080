package io.holdfast.engine;

/** Where a request has got to: still in line, or granted. */
sealed interface HoldOrWaiter permits Hold, Waiter {}
