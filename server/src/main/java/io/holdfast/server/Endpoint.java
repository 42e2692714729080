package io.holdfast.server;

import io.holdfast.engine.Namespace;

/** Where to listen, and with what. */
public record Endpoint(Address address, boolean tls, Protocol protocol) {
    public Endpoint {
        if (tls && address instanceof Address.Unix) {
            throw new ConfigException("a Unix socket has no TLS: " + address);
        }
        if (address instanceof Address.Unix
                && (protocol instanceof Protocol.Dflockd
                        || (protocol instanceof Protocol.Lockd lockd && lockd.webSocket()))) {
            throw new ConfigException("only lockd's lines are spoken on a Unix socket: " + address);
        }
    }

    /** A listener for dflockd, in the namespace that all share. */
    public Endpoint(String host, int port, boolean tls) {
        this(new Address.Tcp(host, port), tls, new Protocol.Dflockd(Namespace.DEFAULT));
    }

    /** The scheme of its URL. */
    public String scheme() {
        return switch (protocol) {
            case Protocol.Dflockd _ -> tls ? "dflockds" : "dflockd";
            case Protocol.Lockd lockd -> {
                if (address instanceof Address.Unix) {
                    yield "lockd+unix";
                }
                if (lockd.webSocket()) {
                    yield tls ? "lockd+wss" : "lockd+ws";
                }
                yield tls ? "lockds" : "lockd";
            }
        };
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
