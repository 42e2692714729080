package io.holdfast.client.wire;

import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.TimerClock.Timer;

import org.jspecify.annotations.Nullable;

/** A request that the server answers at once. */
abstract class ImmediateRequest implements PlainExchange {
    private final String request;
    private final long limitNanos;
    private @Nullable Timer expiry;
    private boolean withdrawn;
    private boolean sentBefore;
    private long leftAtNanos;

    ImmediateRequest(String request, long limitNanos) {
        this.request = request;
        this.limitNanos = limitNanos;
    }

    /** Whether it may be sent again after a lost connection. */
    boolean isRepeatable() {
        return false;
    }

    /** Whether it waits for a connection as long as it takes. */
    boolean waitsForConnection() {
        return false;
    }

    /** No answer will come. */
    abstract void failed(ServiceException why);

    @Override
    public final String request() {
        return request;
    }

    @Override
    public final long limitNanos() {
        return limitNanos;
    }

    @Override
    public final void leaving(long nowNanos) {
        leftAtNanos = nowNanos;
        expire(null);
    }

    final long leftAtNanos() {
        return leftAtNanos;
    }

    /** Whether an earlier copy may have arrived. */
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

    /** It need not be sent any more. */
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
