package io.holdfast.engine;

/**
 * Something that happened to a key, for those who watch. Nothing is decided by it.
 *
 * @param session whom it happened to
 * @param fence of the hold it is about; 0 if it is about none
 * @param atNanos the engine's time
 * @param spanNanos how long it was waited for, or held
 * @param lateNanos how long after the end of the lease it ended; 0 unless it {@link Type#EXPIRED}
 * @param holders how many hold the key now
 * @param waiters how many wait for it now
 */
public record KeyEvent(
        Type type,
        ResourceKind kind,
        Key key,
        long session,
        ReadWriteMode mode,
        long fence,
        long atNanos,
        long spanNanos,
        long lateNanos,
        int holders,
        int waiters) {
    /** The same, at a time of another clock. */
    public KeyEvent at(long nanos) {
        return new KeyEvent(
                type, kind, key, session, mode, fence, nanos, spanNanos, lateNanos, holders,
                waiters);
    }

    /** What happened. */
    public enum Type {
        /** Joined the line. */
        WAITING,
        /** Was offered the lock, and has to confirm. */
        OFFERED,
        /** Holds it now. The span is what it waited. */
        ACQUIRED,
        /** Gave it back, or its session ended. The span is how long it was held. */
        RELEASED,
        /** The lease ended. The span is how long it was held. */
        EXPIRED,
        /**
         * Another took it away: with the token, or by force. The span is how long it was held, or
         * offered.
         */
        LOST,
        /** The wait ran out. The span is what it waited. */
        TIMED_OUT,
        /**
         * Left the line, turned the offer down or let it lapse, or its session ended. The span is
         * what it waited, from the start.
         */
        GAVE_UP
    }
}
