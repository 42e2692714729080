package io.holdfast.server.listener;

/**
 * A scheme of listen URLs.
 *
 * @param name without {@code ://}
 * @param tls whether connections begin with a TLS handshake
 * @param example all addresses of the scheme are of its type; on TCP it has the default port
 */
public record ListenScheme(
        ServerProtocol protocol, String name, boolean tls, ListenAddress example) {
    public static ListenScheme tcp(
            ServerProtocol protocol, String name, boolean tls, int defaultPort) {
        return new ListenScheme(
                protocol, name, tls, new ListenAddress.Tcp("127.0.0.1", defaultPort));
    }

    @Override
    public String toString() {
        return name;
    }
}
