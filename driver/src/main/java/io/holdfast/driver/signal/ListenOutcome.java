package io.holdfast.driver.signal;

/** What became of a wish to listen. */
public enum ListenOutcome {
    /** Listening, from now on or since before. */
    LISTENING,
    /** {@code *} or {@code >} inside a longer token, or {@code >} before the end. */
    INVALID_PATTERN,
    /** The listener has as many registrations as it may, or memory is short. */
    LIMIT_REACHED,
    /** The subscriber is closed. */
    CLOSED
}
