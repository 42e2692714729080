package io.holdfast.http;

import io.holdfast.engine.Namespace;

/**
 * An address on which HTTP is served.
 *
 * @param port 0 to bind any free port
 * @param tls whether it serves https
 * @param namespace the namespace of its clients' keys
 */
public record HttpAddress(String host, int port, boolean tls, Namespace namespace) {
    public HttpAddress {
        if (host.isEmpty()) {
            throw new IllegalArgumentException("an HTTP address needs a host");
        }
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("a port must be 0-65535 (got " + port + ")");
        }
    }

    /** Plain HTTP for the keys of the default namespace. */
    public static HttpAddress of(String host, int port) {
        return new HttpAddress(host, port, false, Namespace.DEFAULT);
    }

    /** The same address with the port that was bound. */
    HttpAddress withPort(int boundPort) {
        return new HttpAddress(host, boundPort, tls, namespace);
    }

    /** The URL of the address, without a path. */
    @Override
    public String toString() {
        String name = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
        return (tls ? "https://" : "http://") + name + ":" + port;
    }
}
