package io.holdfast.engine;

/** Which of those who wait for a read/write lock comes next. */
public enum QueuePolicy {
    /** The one who came first; nobody passes. */
    FIFO,
    /** The oldest reader; a writer only when no reader waits. Writers can starve. */
    READER_PREFERRED,
    /** The oldest writer; a reader only when no writer waits. Readers can starve. */
    WRITER_PREFERRED
}
