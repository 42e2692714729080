package io.holdfast.client.lockd;

/**
 * Hears what happens to a client's connection. {@link #connected} comes first, if at all; the last
 * notice is {@link #closed} or {@link #failed}, once; {@link LockdClient#close} itself gives none.
 * Notices come one at a time on a thread of their own, so a listener may use the client.
 */
public interface LockdListener {
    /** The connection is up. */
    default void connected(LockdClient client) {}

    /** The server ended the connection, and with it every hold of this client. */
    default void closed(LockdClient client) {}

    /**
     * The connection could not be made, broke, or was given up: an answer did not come in time or
     * was not one to the question, or there was a line nobody had asked for.
     */
    default void failed(LockdClient client, LockdException cause) {}
}
