package io.holdfast.socketlock;

/** Which waiter is offered the lock next. Only the policy of the primary's process applies. */
public enum SocketLockQueuePolicy {
    /**
     * In order of arrival. No waiter overtakes the first of the queue; adjacent readers share the
     * lock.
     */
    FIFO,
    /** Readers before all waiting writers. Writers can starve. */
    READER_PREFERRED,
    /** Waiting writers before all waiting readers. Readers can starve. */
    WRITER_PREFERRED
}
