package io.holdfast.driver;

import java.util.function.Supplier;

/**
 * Who is behind a session.
 *
 * @param protocol what it speaks, such as {@code dflockd} or {@code http}
 * @param name how others are told about it, such as the address of its client
 * @param concurrent whether it does several things at once: while one of its threads waits, another
 *     may give back what it holds
 */
public record Peer(String protocol, Supplier<String> name, boolean concurrent) {
    /** One that does one thing after another. */
    public Peer(String protocol, Supplier<String> name) {
        this(protocol, name, false);
    }
}
