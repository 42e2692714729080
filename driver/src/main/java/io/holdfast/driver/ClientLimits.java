package io.holdfast.driver;

import static io.holdfast.driver.config.SettingRange.requireNotNegative;

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
        requireNotNegative("max-names-per-connection", names);
        requireNotNegative("max-waiters-per-connection", waits);
        requireNotNegative("max-keys-per-connection", entries);
    }
}
