package io.holdfast.client.socketlock;

/** Who is served next. It counts only in the process that is the primary. */
public enum Policy {
    /** In order of arrival. Nobody passes the first in line; readers next to each other share. */
    FIFO,
    /** Readers go before every waiting writer. Writers can starve. */
    READER_PREFERRED,
    /** A waiting writer goes before every reader that does not hold yet. Readers can starve. */
    WRITER_PREFERRED
}
