package io.holdfast.server;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A listener: its address and protocol. */
public record ListenEndpoint(ListenAddress address, boolean tls, ListenerProtocol protocol) {
    /** No configured namespace can be equal to it: those have no control characters. */
    private static final Namespace SOCKETLOCK_PATHS = new Namespace("\0socketlock");

    public ListenEndpoint {
        if (tls && address instanceof ListenAddress.Unix) {
            throw new ConfigException("TLS is not supported on a Unix socket: " + address);
        }
        protocol.requireSuitable(address);
        if (protocol.namespace().name().chars().anyMatch(Character::isISOControl)) {
            throw new ConfigException(
                    "the namespace of " + address + " has a control character in it");
        }
    }

    /** A listener for dflockd in the default namespace. */
    public ListenEndpoint(String host, int port, boolean tls) {
        this(
                new ListenAddress.Tcp(host, port),
                tls,
                new ListenerProtocol.Dflockd(Namespace.DEFAULT));
    }

    /** The only lock of a socketlock listener; without a configured key, its key is the path. */
    Key lock(ListenerProtocol.Socketlock socketlock) {
        return socketlock.key() != null
                ? Key.of(socketlock.namespace(), socketlock.key().bytes())
                : Key.of(SOCKETLOCK_PATHS, String.valueOf(path()).getBytes(StandardCharsets.UTF_8));
    }

    /** The normalized absolute path of its socket; null on TCP. */
    @Nullable Path path() {
        return address instanceof ListenAddress.Unix unix
                ? unix.path().toAbsolutePath().normalize()
                : null;
    }

    /** The scheme of its URL. */
    public String scheme() {
        return protocol.scheme(address, tls);
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
