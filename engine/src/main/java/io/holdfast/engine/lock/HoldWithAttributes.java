package io.holdfast.engine.lock;

import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.ReadWriteMode;

/** A hold with other attributes than {@link HoldAttributes#PLAIN}. */
final class HoldWithAttributes extends Hold {
    private HoldAttributes holdAttributes;

    HoldWithAttributes(
            Resource resource,
            SessionState sessionState,
            long request,
            long fence,
            long salt,
            long leaseNanos,
            HoldAttributes holdAttributes) {
        super(resource, sessionState, request, fence, salt, leaseNanos);
        this.holdAttributes = holdAttributes;
    }

    @Override
    void passTo(SessionState next, long nextRequest) {
        super.passTo(next, nextRequest);
        holdAttributes = HoldAttributes.of(holdAttributes.mode());
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
