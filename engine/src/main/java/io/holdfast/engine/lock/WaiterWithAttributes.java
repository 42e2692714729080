package io.holdfast.engine.lock;

import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.ReadWriteMode;

/** A waiter for a hold with other attributes than {@link HoldAttributes#PLAIN}. */
final class WaiterWithAttributes extends Waiter {
    private final HoldAttributes holdAttributes;

    WaiterWithAttributes(
            Resource resource,
            SessionState sessionState,
            long request,
            long salt,
            long leaseNanos,
            boolean enqueued,
            HoldAttributes holdAttributes) {
        super(resource, sessionState, request, salt, leaseNanos, enqueued);
        this.holdAttributes = holdAttributes;
    }

    @Override
    HoldAttributes attributes() {
        return holdAttributes;
    }

    @Override
    ReadWriteMode mode() {
        return holdAttributes.mode();
    }

    @Override
    boolean isTracked() {
        return holdAttributes.tracked();
    }
}
