package io.holdfast.driver.signal;

/** The result of a request to listen. */
public enum ListenOutcome {
    /** Registered, now or before. */
    LISTENING,
    /**
     * The pattern has {@code *} or {@code >} inside a longer token, or {@code >} before the end.
     */
    INVALID_PATTERN,
    /** The limit of registrations or the memory budget is reached. */
    LIMIT_REACHED,
    /** The subscriber is closed. */
    CLOSED
}
