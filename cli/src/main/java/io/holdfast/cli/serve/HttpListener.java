package io.holdfast.cli.serve;

import io.holdfast.engine.Namespace;
import io.holdfast.server.ConfigException;
import io.holdfast.server.ListenAddress;

/** An address to listen on for HTTP, and the namespace of its keys. */
record HttpListener(ListenAddress.Tcp address, boolean tls, Namespace namespace) {
    HttpListener {
        if (namespace.name().chars().anyMatch(Character::isISOControl)) {
            throw new ConfigException(
                    "the namespace of " + address + " contains a control character");
        }
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
