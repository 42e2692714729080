package io.holdfast.cli.socketlock;

/**
 * One line to a session.
 *
 * @param lock the lock-id; empty if the line has none
 */
record OutgoingLine(int session, What what, String lock) {
    enum What {
        READ_OFFER,
        WRITE_OFFER,
        QUEUE_LIMIT,
        CONFIRM_LIMIT,
        REJECTED,
        INVALID_ID,
        LOCK_OK,
        LOCK_TIMEOUT
    }

    static OutgoingLine of(int session, What what) {
        return new OutgoingLine(session, what, "");
    }
}
