package io.holdfast.driver;

import java.util.function.Supplier;

/**
 * Who is behind a session.
 *
 * @param protocol what it speaks, such as {@code dflockd} or {@code http}
 * @param name how others are told about it, such as the address of its client
 */
public record Peer(String protocol, Supplier<String> name) {}
