package io.holdfast.client.service;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A hold as the service knows it. Renewing is the owner's business. */
public interface GrantedHold {
    String key();

    /** A secret. */
    String token();

    OptionalLong fence();

    long leaseNanos();

    /** How certain it is that the service has it still, its lease apart. */
    default Certainty certainty() {
        return Certainty.HELD;
    }

    /** How certain it is that a hold is one. */
    enum Certainty {
        HELD,
        /** There is no connection: if the service was restarted it knows nothing of the hold. */
        IN_DOUBT,
        /** To be taken for lost, though {@link #onLost} may come a little later. */
        GONE
    }

    /**
     * Time of the {@link TimerClock} before the request that was granted left: the lease counts
     * from here at the earliest.
     */
    long requestedAtNanos();

    /**
     * Starts the lease anew; counted from before this call at the earliest.
     *
     * @param leaseNanos 0 for the server's default
     * @return its length in nanoseconds; -1 if it is not held any more; a {@link ServiceException}
     *     if there was no answer
     */
    CompletableFuture<Long> renew(long leaseNanos);

    /**
     * Gives it back.
     *
     * @return false if it was not held any more; a {@link ServiceException} if there was no answer
     */
    CompletableFuture<Boolean> release();

    /**
     * Called at most once, when the service says that it is lost; at once if it already has. Not
     * after a release.
     */
    void onLost(Consumer<Loss> action);

    /** Why. */
    enum Loss {
        EXPIRED,
        RELEASED,
        /** The connection ended and the session was not resumed. */
        CONNECTION
    }
}
