package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/**
 * The validated settings of a client.
 *
 * @param services the addresses of each service: one list per shard
 */
record ClientSettings(
        List<List<InetSocketAddress>> services,
        ShardStrategy strategy,
        @Nullable SSLContext tls,
        @Nullable Supplier<String> authToken,
        Duration connectTimeout,
        Duration readTimeout,
        Duration grace,
        String label,
        int maxConnections,
        boolean plain) {
    private static final Duration MAX_DURATION = Duration.ofDays(1);
    private static final Duration MIN_GRACE = Duration.ofMillis(100);

    ClientSettings {
        if (services.isEmpty() || services.stream().anyMatch(List::isEmpty)) {
            throw new IllegalArgumentException("address, shards or cluster must name a server");
        }
        positive("connectTimeout", connectTimeout);
        positive("readTimeout", readTimeout);
        if (grace.isNegative() || grace.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException("grace must be 0 to 1 day but is " + grace);
        }
        if (!grace.isZero() && grace.compareTo(MIN_GRACE) < 0) {
            throw new IllegalArgumentException(
                    "grace must be 0, or at least 100 ms to be longer than a round trip, but is "
                            + grace);
        }
        int bytes = label.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1
                || bytes > 128
                || label.codePoints().anyMatch(ClientSettings::isBlankOrControl)) {
            throw new IllegalArgumentException(
                    "label must have 1 to 128 bytes without whitespace and control characters");
        }
        if (maxConnections < 2) {
            throw new IllegalArgumentException(
                    "maxConnections must be at least 2 but is " + maxConnections);
        }
    }

    /**
     * The same rule as the server's: it refuses a hello whose label has such a character, and the
     * client would then take it for a plain dflockd.
     */
    private static boolean isBlankOrControl(int c) {
        return Character.isISOControl(c)
                || Character.isWhitespace(c)
                || Character.isSpaceChar(c)
                || Character.getType(c) == Character.FORMAT
                || Character.getType(c) == Character.SURROGATE;
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero() || value.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException(
                    name + " must be more than 0 and at most 1 day but is " + value);
        }
    }

    /** Parses {@code host:port}; an IPv6 address is in brackets. */
    static InetSocketAddress address(String setting, String text) {
        int colon = text.lastIndexOf(':');
        var host = colon < 0 ? "" : text.substring(0, colon);
        var port = text.substring(colon + 1);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            host = "";
        }
        if (host.isBlank() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new IllegalArgumentException(
                    setting + " must be host:port but is " + text.strip());
        }
        return InetSocketAddress.createUnresolved(host, Integer.parseInt(port));
    }

    /** The inverse of {@link #address}. */
    static String text(InetSocketAddress address) {
        var host = address.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    /** Contains no secret. */
    @Override
    public String toString() {
        return "ClientSettings" + services;
    }
}
