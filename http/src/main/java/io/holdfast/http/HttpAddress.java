package io.holdfast.http;

import io.holdfast.driver.config.ConfigException;
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
            throw new ConfigException("an HTTP address needs a host");
        }
        if (port < 0 || port > 65535) {
            throw new ConfigException("a port must be 0-65535 (got " + port + ")");
        }
        if (namespace.name().chars().anyMatch(Character::isISOControl)) {
            throw new ConfigException(
                    "the namespace of " + authority(host, port) + " contains a control character");
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

    /** Host and port, as in a URL. */
    public String authority() {
        return authority(host, port);
    }

    private static String authority(String host, int port) {
        return (host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host)
                + ":"
                + port;
    }

    /** The URL of the address, without a path. */
    @Override
    public String toString() {
        return (tls ? "https://" : "http://") + authority();
    }
}
