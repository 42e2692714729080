package io.holdfast.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * A lock that is held until this is closed or lost. It belongs to the code that has this object,
 * not to a thread.
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

    /**
     * The length of the lease as granted by the server; for a multi lock, the shortest of its
     * parts.
     */
    Duration lease();

    /**
     * The fencing token, which grows with every grant of the key. Empty if the server has no
     * fences, and for a multi lock, whose {@link #parts} have one each.
     */
    OptionalLong fence();

    /**
     * The secret that releases and renews this hold at the server. Do not log it.
     *
     * @throws UnsupportedOperationException for a multi lock, whose {@link #parts} have one each
     */
    String token();

    /**
     * Whether this is neither closed nor lost and its lease, counted from before the request was
     * sent, has not run out. False while there is no connection, because the state is unknown then,
     * and true again after the session has been resumed. For an unbound hold only the lease counts.
     */
    boolean isHeld();

    /**
     * Whether this is held and the lease lasts at least this much longer without a renewal, by the
     * monotonic clock of this machine.
     */
    boolean heldForAtLeast(Duration span);

    /**
     * Does nothing while it is held.
     *
     * @throws LeaseLostException if it was lost
     * @throws OutcomeUnknownException while there is no connection, so that the state is unknown
     * @throws IllegalStateException if it was closed
     */
    void ensureHeld();

    /** Why it was lost; empty if it was not. */
    Optional<LossReason> lossReason();

    /**
     * Runs the action once when this is lost before it is closed; at once if it has been lost
     * already.
     */
    void onLost(Consumer<LossReason> action);

    /**
     * Renews the lease now.
     *
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was closed
     */
    void renew();

    /**
     * Renews the lease now with another length, longer or shorter, which later renewals use too.
     *
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was closed
     */
    void renew(Duration lease);

    /** The holds that this consists of: this one, or one per key of a multi lock. */
    default List<Hold> parts() {
        return List.of(this);
    }

    /**
     * Releases. The wait for the server is bounded, and this never throws: if the server cannot be
     * reached, it ends the hold with its session or its lease. Works in an interrupted thread,
     * whose interrupt flag stays set. Closing again does nothing.
     */
    @Override
    void close();

    /**
     * Closes, but keeps the key held at the server for some time: in place of the release the lease
     * is renewed a last time with this length. As with {@link #close} the wait is bounded and
     * nothing is thrown; if the server cannot be reached, the hold ends with its present lease. A
     * hold that is not unbound still ends with the connection.
     *
     * @param span zero or less releases at once
     */
    void closeAfter(Duration span);
}
