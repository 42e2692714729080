package io.holdfast.engine;

/**
 * An event of a key, for observers. No result of a command depends on events.
 *
 * @param session the holder or waiter
 * @param fence of the hold; 0 if the event is not about a hold
 * @param atNanos the engine's time
 * @param durationNanos the duration of the wait or of the hold, see {@link Type}
 * @param lateNanos delay between the end of the lease and its expiry; 0 unless the type is {@link
 *     Type#EXPIRED}
 * @param holders number of holders of the key after the event
 * @param waiters number of waiters of the key after the event
 */
public record KeyEvent(
        Type type,
        ResourceKind kind,
        Key key,
        long session,
        ReadWriteMode mode,
        long fence,
        long atNanos,
        long durationNanos,
        long lateNanos,
        int holders,
        int waiters) {
    /** The same event with a time of another clock. */
    public KeyEvent at(long nanos) {
        return new KeyEvent(
                type,
                kind,
                key,
                session,
                mode,
                fence,
                nanos,
                durationNanos,
                lateNanos,
                holders,
                waiters);
    }

    public enum Type {
        /** A waiter was queued. */
        WAITING,
        /** The lock was offered to the session, which has to confirm. The duration is the wait. */
        OFFERED,
        /** The session became a holder. The duration is the wait. */
        ACQUIRED,
        /** The holder released it, or its session ended. The duration is that of the hold. */
        RELEASED,
        /** The lease expired. The duration is that of the hold. */
        EXPIRED,
        /**
         * Another session released it: with the token, or by force. The duration is that of the
         * hold or offer.
         */
        LOST,
        /** The wait timed out. The duration is the wait. */
        TIMED_OUT,
        /**
         * The session left the queue, declined an offer or did not confirm it in time, or ended.
         * The duration is the time since the request was queued.
         */
        GAVE_UP
    }
}
