package io.holdfast.http;

import io.holdfast.engine.Namespace;

/**
 * Where HTTP is served.
 *
 * @param port 0 takes a free one
 * @param tls whether it is https
 * @param namespace of the keys that its clients name
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

    /** The same with the port that was taken. */
    HttpAddress withPort(int taken) {
        return new HttpAddress(host, taken, tls, namespace);
    }

    /** As a URL without a path. */
    @Override
    public String toString() {
        String name = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
        return (tls ? "https://" : "http://") + name + ":" + port;
    }
}
