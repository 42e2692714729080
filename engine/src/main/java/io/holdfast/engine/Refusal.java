package io.holdfast.engine;

/** Why a request changed nothing. */
public enum Refusal {
    /** The token does not match a hold of this key, or the hold has ended. */
    NOT_HELD,
    /** Another session holds it. */
    BUSY,
    /** The limit or the memory budget for locks and semaphores is reached. */
    TOO_MANY_KEYS,
    /** The queue of this key is full, or the limit or the memory budget for waiters is reached. */
    TOO_MANY_WAITERS,
    /** The semaphore exists with another limit. */
    LIMIT_MISMATCH,
    /** The session has enqueued for the same key already. */
    ALREADY_ENQUEUED,
    /** An await without an enqueue, or after the lease of its grant has expired. */
    NOT_ENQUEUED,
    /** The limit or the memory budget for counters, values and lists is reached. */
    TOO_MANY_ENTRIES,
    /** The list has reached its maximum length, or the memory budget is reached. */
    LIST_FULL,
    /** The counter would leave the range of 64 bits. */
    OUT_OF_RANGE,
    /**
     * The request was not committed in time. Not returned by an engine but by a driver of a
     * replicated one. The outcome of the request is unknown; a waiter or a hold that it may have
     * created is ended.
     */
    UNAVAILABLE;

    public Effect.Refused to(Command.Keyed command) {
        return new Effect.Refused(command.session(), command.request(), this);
    }
}
