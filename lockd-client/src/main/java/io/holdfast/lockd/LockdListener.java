package io.holdfast.lockd;

/**
 * Is notified of the events of a client's connection. {@link #connected} comes first, if at all;
 * the last event is {@link #closed} or {@link #failed}, once; {@link LockdClient#close} causes
 * none. Events are delivered one at a time on a separate thread, so a listener may use the client.
 */
public interface LockdListener {
    /** The connection is established. */
    default void connected(LockdClient client) {}

    /** The server closed the connection, which ended every hold of this client. */
    default void closed(LockdClient client) {}

    /**
     * The connection could not be established, was lost, or was closed by the client: a response
     * was late or did not fit its command, or an unexpected line was received.
     */
    default void failed(LockdClient client, LockdException cause) {}
}
