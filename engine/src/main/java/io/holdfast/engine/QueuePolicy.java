package io.holdfast.engine;

/** Which waiter of a read/write lock is next. */
public enum QueuePolicy {
    /** The oldest waiter; none is overtaken. */
    FIFO,
    /** The oldest reader; a writer only when no reader waits. Writers can starve. */
    READER_PREFERRED,
    /** The oldest writer; a reader only when no writer waits. Readers can starve. */
    WRITER_PREFERRED
}
