package io.holdfast.driver;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * Describes the client of a session.
 *
 * @param protocol the name of its protocol, such as {@code dflockd} or {@code http}
 * @param name the display name, such as the address of the client
 * @param concurrent whether it may have several requests in flight: while one of its threads waits,
 *     another may release what it holds
 * @param usage what counts against the limits of one client; null if it has no limits. Sessions
 *     with the same usage object are counted together
 */
public record ClientInfo(
        String protocol, Supplier<String> name, boolean concurrent, @Nullable ClientUsage usage) {
    /** A client with its own usage. */
    public ClientInfo(String protocol, Supplier<String> name, boolean concurrent) {
        this(protocol, name, concurrent, new ClientUsage());
    }

    /** A client with its own usage and one request at a time. */
    public ClientInfo(String protocol, Supplier<String> name) {
        this(protocol, name, false);
    }

    /** The server itself, which serves many clients with one session. */
    public static ClientInfo ofServer(String name) {
        return new ClientInfo("holdfast", () -> name, false, null);
    }
}
