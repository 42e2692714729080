package io.holdfast.engine;

/** Why a request changed nothing. */
public enum Refusal {
    /** The token holds no slot of this key, or not any more. */
    NOT_HELD,
    /** Somebody else has it. */
    BUSY,
    /** No room for another lock or semaphore. */
    TOO_MANY_KEYS,
    /** The line of this name is full. */
    TOO_MANY_WAITERS,
    /** The semaphore exists with another limit. */
    LIMIT_MISMATCH,
    /** A second enqueue of the same session for the same name. */
    ALREADY_ENQUEUED,
    /** An await without an enqueue, or after its grant ran out. */
    NOT_ENQUEUED,
    /** No room for another counter, value or list. */
    TOO_MANY_ENTRIES,
    /** The list is as long as it may get. */
    LIST_FULL,
    /** The counter would leave the range of 64 bits. */
    OUT_OF_RANGE,
    /**
     * Nobody could decide in time. No engine says so but a driver that asks a remote one; whether
     * the request changed anything is unknown, but what it would have waited for or held is given
     * up.
     */
    UNAVAILABLE
}
