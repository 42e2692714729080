package io.holdfast.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * A lock that is held until this is closed or lost. It belongs to whoever has this object, not to a
 * thread.
 *
 * {@snippet :
 * try (Hold hold = holdfast.lock("ledger").acquire(Duration.ofSeconds(10))) {
 *     if (hold.heldForAtLeast(Duration.ofSeconds(5))) {
 *         deploy(); // takes less than five seconds
 *     }
 *     System.out.println(hold.fence().isPresent()); // true
 * }
 * }
 */
public interface Hold extends AutoCloseable {
    String key();

    /** The length of the lease as the server gave it; of a multi lock, the shortest. */
    Duration lease();

    /**
     * Grows with every grant of the key; empty if the server has no fences, and for a multi lock,
     * whose {@link #parts} have one each.
     */
    OptionalLong fence();

    /**
     * The secret that proves possession to the server; never log it.
     *
     * @throws UnsupportedOperationException for a multi lock, whose {@link #parts} have one each
     */
    String token();

    /**
     * Neither closed nor lost, and the lease, counted from before it was asked for, has not run
     * out. While there is no connection it is not known, so this is false then, and true again once
     * the session was resumed; unbound holds go by their lease alone.
     */
    boolean isHeld();

    /**
     * Whether the lease lasts at least so much longer without being renewed, by this machine's
     * monotonic clock.
     */
    boolean heldForAtLeast(Duration span);

    /**
     * Does nothing while it is held.
     *
     * @throws LeaseLostException if it was lost
     * @throws OutcomeUnknownException while there is no connection, so that it is not known
     * @throws IllegalStateException if it was closed
     */
    void ensureHeld();

    /** Why it was lost; empty if it was not. */
    Optional<LossReason> lossReason();

    /** Called once when it is lost before it is closed; at once if it is lost already. */
    void onLost(Consumer<LossReason> action);

    /**
     * Renews the lease now.
     *
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was closed
     */
    void renew();

    /**
     * Renews now with another length, longer or shorter, which is the lease from then on.
     *
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was closed
     */
    void renew(Duration lease);

    /** The holds that this consists of: itself, or one per key of a multi lock. */
    default List<Hold> parts() {
        return List.of(this);
    }

    /**
     * Releases. Never hangs and never throws: a server that cannot be reached ends the hold by
     * itself. Works in an interrupted thread, which stays interrupted. Closing again does nothing.
     */
    @Override
    void close();

    /**
     * Closes, but keeps the key taken at the server for a while: the lease is renewed a last time
     * with this length in place of the release. As {@link #close} it never hangs nor throws; if the
     * server cannot be told, the hold ends with the lease that it has. A hold that is not unbound
     * still ends with the connection.
     *
     * @param span zero or less releases at once
     */
    void closeAfter(Duration span);
}
