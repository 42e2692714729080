package io.holdfast.driver;

/**
 * How much one client may have: a connection, or a session that outlives connections. 0 is no
 * limit.
 *
 * @param names names of locks and semaphores that it made and that are still remembered, and as
 *     many holds
 * @param waits requests that wait for a lock
 * @param entries counters, values and lists that it made
 */
public record ClientLimits(int names, int waits, int entries) {
    public static final ClientLimits NONE = new ClientLimits(0, 0, 0);

    public ClientLimits {
        if (names < 0 || waits < 0 || entries < 0) {
            throw new IllegalArgumentException("caps of a client must be >= 0");
        }
    }
}
