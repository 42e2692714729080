package io.holdfast.driver;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * Who is behind a session.
 *
 * @param protocol what it speaks, such as {@code dflockd} or {@code http}
 * @param name how others are told about it, such as the address of its client
 * @param concurrent whether it does several things at once: while one of its threads waits, another
 *     may give back what it holds
 * @param usage what counts against the limits of one client; null has none. Sessions with the same
 *     usage are counted together
 */
public record ClientInfo(
        String protocol, Supplier<String> name, boolean concurrent, @Nullable ClientUsage usage) {
    /** A client of its own. */
    public ClientInfo(String protocol, Supplier<String> name, boolean concurrent) {
        this(protocol, name, concurrent, new ClientUsage());
    }

    /** A client of its own, which does one thing after another. */
    public ClientInfo(String protocol, Supplier<String> name) {
        this(protocol, name, false);
    }

    /** The server itself, which serves many clients by one session. */
    public static ClientInfo ofServer(String name) {
        return new ClientInfo("holdfast", () -> name, false, null);
    }
}
