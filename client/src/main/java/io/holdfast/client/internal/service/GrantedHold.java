package io.holdfast.client.internal.service;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A hold of a service. It is not renewed automatically: that is up to its owner. */
public interface GrantedHold {
    String key();

    /** The secret that renews and releases the hold. */
    String token();

    OptionalLong fence();

    long leaseNanos();

    /**
     * Whether the service is known to still have the hold, not counting the expiry of its lease.
     */
    default Certainty certainty() {
        return Certainty.HELD;
    }

    /** What is known about a hold. */
    enum Certainty {
        HELD,
        /** There is no connection: the service may have ended the session or restarted. */
        UNKNOWN,
        /** Must be treated as lost, though {@link #onLost} may be called a little later. */
        GONE
    }

    /**
     * The time of the {@link TimerClock} before the granted request was sent: the lease starts at
     * this time or later.
     */
    long requestedAtNanos();

    /**
     * Restarts the lease, which then starts at the time of this call or later.
     *
     * @param leaseNanos 0 for the server's default
     * @return the length of the lease in nanoseconds; -1 if the hold has ended; a {@link
     *     ServiceException} if there was no response
     */
    CompletableFuture<Long> renew(long leaseNanos);

    /**
     * Releases the hold.
     *
     * @return false if the hold had ended before; a {@link ServiceException} if there was no
     *     response
     */
    CompletableFuture<Boolean> release();

    /**
     * Sets the action that is called at most once, when the service reports the loss of the hold;
     * at once if it already has. Not called after a release.
     */
    void onLost(Consumer<Loss> action);

    /** Why a hold was lost. */
    enum Loss {
        EXPIRED,
        RELEASED,
        /** The connection ended and the session was not resumed. */
        CONNECTION
    }
}
