package io.holdfast.driver;

/**
 * The limits of one client, which is a connection or a session that outlives connections. 0 is no
 * limit.
 *
 * @param names maximum number of locks and semaphores that it created and that still exist; also
 *     the maximum number of its holds
 * @param waits maximum number of its waiters
 * @param entries maximum number of counters, values and lists that it created and that still exist
 */
public record ClientLimits(int names, int waits, int entries) {
    public static final ClientLimits NONE = new ClientLimits(0, 0, 0);

    public ClientLimits {
        if (names < 0 || waits < 0 || entries < 0) {
            throw new IllegalArgumentException("limits of a client must be >= 0");
        }
    }
}
