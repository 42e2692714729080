package io.holdfast.server.listener;

import io.holdfast.driver.config.ConfigException;

/** A listener: its scheme, address and options. The options are those of the scheme's protocol. */
public record ListenEndpoint(ListenScheme scheme, ListenAddress address, ListenerOptions options) {
    public ListenEndpoint {
        boolean unix = scheme.example() instanceof ListenAddress.Unix;
        if (unix != address instanceof ListenAddress.Unix) {
            throw new ConfigException(
                    scheme
                            + (unix ? " requires a Unix socket: " : " requires a TCP address: ")
                            + address);
        }
        if (options.namespace().name().chars().anyMatch(Character::isISOControl)) {
            throw new ConfigException(
                    "the namespace of " + address + " has a control character in it");
        }
    }

    public boolean tls() {
        return scheme.tls();
    }

    public ServerProtocol protocol() {
        return scheme.protocol();
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
