package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.TimerClock.Timer;

import org.jspecify.annotations.Nullable;

/** A request that the server responds to at once, without a wait for a grant. */
abstract class ImmediateRequest implements PlainRequest {
    private final String request;
    private final long timeoutNanos;
    private @Nullable Timer expiry;
    private boolean withdrawn;
    private boolean sentBefore;
    private long sentAtNanos;

    ImmediateRequest(String request, long timeoutNanos) {
        this.request = request;
        this.timeoutNanos = timeoutNanos;
    }

    /** Whether it may be sent again after the connection was lost. */
    boolean isRepeatable() {
        return false;
    }

    /** Whether it waits for a connection without a timeout. */
    boolean waitsForConnection() {
        return false;
    }

    /** There will be no response. */
    abstract void failed(ServiceException why);

    @Override
    public final String request() {
        return request;
    }

    @Override
    public final long timeoutNanos() {
        return timeoutNanos;
    }

    @Override
    public final void sending(long nowNanos) {
        sentAtNanos = nowNanos;
        expire(null);
    }

    final long sentAtNanos() {
        return sentAtNanos;
    }

    /** Whether the server may have received it before, over an earlier connection. */
    final boolean wasSentBefore() {
        return sentBefore;
    }

    @Override
    public void lost(ServiceException why) {
        sentBefore = true;
        if (!isRepeatable()) {
            failed(why);
        }
    }

    /** Marks it as not to be sent any more. */
    final void withdraw() {
        withdrawn = true;
        expire(null);
    }

    final boolean isWithdrawn() {
        return withdrawn;
    }

    final void expire(@Nullable Timer timer) {
        if (expiry != null) {
            expiry.cancel();
        }
        expiry = timer;
    }

    final boolean canExpire() {
        return expiry == null && !waitsForConnection();
    }
}
