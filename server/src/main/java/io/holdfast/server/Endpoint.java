package io.holdfast.server;

import java.net.InetSocketAddress;

/** Where to listen, and with what. Port 0 takes a free one. */
public record Endpoint(String host, int port, boolean tls) {
    public Endpoint {
        if (host.isEmpty()) {
            throw new ConfigException("a listen address needs a host");
        }
        if (port < 0 || port > 65535) {
            throw new ConfigException("a port must be 0-65535 (got " + port + ")");
        }
    }

    /** The same address with the port that was taken for 0. */
    Endpoint withPort(int taken) {
        return new Endpoint(host, taken, tls);
    }

    @Override
    public String toString() {
        return join(host, port);
    }

    /** HOST:PORT, with brackets around an IPv6 address. */
    public static String format(InetSocketAddress address) {
        return join(address.getAddress().getHostAddress(), address.getPort());
    }

    private static String join(String host, int port) {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
