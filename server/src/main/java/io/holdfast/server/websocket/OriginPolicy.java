package io.holdfast.server.websocket;

import io.netty.util.NetUtil;

import org.jspecify.annotations.Nullable;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides which web pages may open a WebSocket. A browser always sends the origin of a page; it
 * must be this server or a listed host. Host names of this server that are not listed are accepted
 * only if no foreign DNS entry can point them here: IP addresses and {@code localhost}.
 */
public final class OriginPolicy {
    private static final String LOCALHOST = "localhost";

    private final Set<String> listed;

    /**
     * @param listed host names, without scheme and port
     */
    public OriginPolicy(Set<String> listed) {
        this.listed =
                listed.stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Whether a request is allowed.
     *
     * @param origins the values of its {@code Origin} headers; none means that the client is not a
     *     browser
     * @param hosts the values of its {@code Host} headers
     */
    public boolean allow(List<String> origins, List<String> hosts) {
        if (origins.isEmpty()) {
            return true;
        }
        if (origins.size() > 1 || hosts.size() != 1) {
            return false;
        }
        String origin = hostOf(origins.getFirst());
        String host = hostOf("http://" + hosts.getFirst());
        if (origin == null || host == null) {
            return false;
        }
        return isOurs(host) && (origin.equals(host) || listed.contains(origin));
    }

    private boolean isOurs(String host) {
        return host.equals(LOCALHOST)
                || listed.contains(host)
                || NetUtil.isValidIpV4Address(host)
                || host.startsWith("["); // the parser accepts only an IPv6 address in brackets
    }

    /** The host of a URL in lower case; null if there is none. */
    private static @Nullable String hostOf(String url) {
        try {
            URI uri = new URI(url);
            String host = uri.getHost();
            if (host == null) {
                return null; // then the path may be null too
            }
            boolean bare =
                    uri.getRawUserInfo() == null
                            && uri.getRawQuery() == null
                            && uri.getRawFragment() == null
                            && (uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"));
            return bare ? host.toLowerCase(Locale.ROOT) : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }
}
