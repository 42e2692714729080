package io.holdfast.engine;

/** Why a request changed nothing. */
public enum Refusal {
    /** The token holds no slot of this key, or not any more. */
    NOT_HELD,
    /** No room for another name. */
    TOO_MANY_KEYS,
    /** The line of this name is full. */
    TOO_MANY_WAITERS,
    /** The semaphore exists with another limit. */
    LIMIT_MISMATCH,
    /** A second enqueue of the same session for the same name. */
    ALREADY_ENQUEUED,
    /** An await without an enqueue, or after its grant ran out. */
    NOT_ENQUEUED
}
