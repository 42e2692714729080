package io.holdfast.cli.serve;

import io.holdfast.engine.Namespace;
import io.holdfast.server.ConfigException;
import io.holdfast.server.ListenAddress;

/** Where to listen for HTTP, and to whom its keys belong. */
record HttpListener(ListenAddress.Tcp address, boolean tls, Namespace namespace) {
    HttpListener {
        if (namespace.name().chars().anyMatch(Character::isISOControl)) {
            throw new ConfigException(
                    "the namespace of " + address + " has a control character in it");
        }
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
