package io.holdfast.client;

/**
 * A change of the state of the connection to a server.
 *
 * {@snippet :
 * BlockingQueue<ConnectionEvent> events = new LinkedBlockingQueue<>();
 * try (Holdfast holdfast =
 *         Holdfast.builder().address("127.0.0.1:6388").onConnection(events::add).connect()) {
 *     System.out.println(events.take().state()); // CONNECTED
 * }
 * }
 *
 * @param address the address of the server that the client is connected to, or was connected to
 *     last
 * @param state the new state
 */
public record ConnectionEvent(String address, State state) {
    /** The states of a connection. */
    public enum State {
        /** Connected for the first time. */
        CONNECTED,
        /** The connection ended: it is unknown whether the session and its holds survive. */
        SUSPENDED,
        /** Reconnected, and the session was resumed: nothing was lost. */
        RESTORED,
        /** The session ended, and all its holds are lost. */
        LOST,
        /** Reconnected with a new session after {@link #LOST}. */
        RECONNECTED
    }
}
