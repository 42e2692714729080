package io.holdfast.client;

/**
 * What happened to the connection with a server.
 *
 * {@snippet :
 * BlockingQueue<ConnectionEvent> events = new LinkedBlockingQueue<>();
 * try (Holdfast holdfast =
 *         Holdfast.builder().address("127.0.0.1:6388").onConnection(events::add).connect()) {
 *     System.out.println(events.take().state()); // CONNECTED
 * }
 * }
 *
 * @param address of the server that the client is connected to, or was last
 * @param state what it is now
 */
public record ConnectionEvent(String address, State state) {
    /** The states. */
    public enum State {
        /** Connected for the first time. */
        CONNECTED,
        /** The connection ended: it is not known whether what is held still is. */
        SUSPENDED,
        /** Connected again, and the session was resumed: nothing was lost. */
        RESTORED,
        /** Everything that was held by the session is lost. */
        LOST,
        /** Connected again, with a new session, after a loss. */
        RECONNECTED
    }
}
