package io.holdfast.http.web;

import io.netty.util.NetUtil;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Refuses requests of foreign web pages. A page can make a browser on this machine send requests to
 * this server: under the page's own host name that resolves to this server (DNS rebinding), which
 * the {@code Host} header shows, or under a name of this server, which the {@code Origin} header
 * shows.
 */
public final class OriginGuard {
    private static final String ANY = "*";
    private static final String LOCALHOST = "localhost";
    private static final String METHODS = "GET, POST, PUT, DELETE, OPTIONS";

    /** The scheme and the authority of a target in absolute form. */
    private static final Pattern ABSOLUTE = Pattern.compile("[^/?]*://([^/?]*)");

    /**
     * Headers that must not be repeated: this server would use the first, and a proxy perhaps the
     * last.
     */
    private static final List<String> ONCE =
            List.of("Host", "Origin", "Authorization", "X-Dflockd-Session");

    private static final String HEADERS = "Authorization, Content-Type, X-Dflockd-Session";

    private final Set<String> hosts;
    private final Set<String> origins;

    /**
     * @param hosts additional host names of this server, with or without port
     * @param origins allowed origins, such as {@code https://example.org}; {@code *} for all
     */
    public OriginGuard(Set<String> hosts, Set<String> origins) {
        this.hosts =
                hosts.stream()
                        .map(host -> nameOf(host).toLowerCase(Locale.ROOT))
                        .collect(Collectors.toUnmodifiableSet());
        this.origins =
                origins.stream()
                        .map(origin -> origin.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Checks a request and sets the CORS headers.
     *
     * @param loopback whether the request came to a loopback listener
     * @return whether the request is a CORS preflight
     */
    boolean check(HttpServerRequest request, boolean loopback) throws HttpProblem {
        boolean local = loopback || isHere(request.localAddress());
        for (CharSequence name : ONCE) {
            if (request.headers().getAll(name).size() > 1) {
                throw HttpProblem.badRequest("there is more than one " + name + " header");
            }
        }
        String host = request.getHeader(HttpHeaders.HOST);
        if (host == null && request.version() != HttpVersion.HTTP_1_0) {
            throw HttpProblem.badRequest("there is no Host header");
        }
        checkAuthority(request.uri(), host);
        if (host != null && !isOurs(host, request, local)) {
            throw new HttpProblem(
                    403, "forbidden_host", "the Host header names another server: " + nameOf(host));
        }
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        boolean listed = origin != null && isListed(origin);
        if (listed) {
            allow(request.response(), origin);
        } else if (isForeign(request, origin, host)) {
            throw new HttpProblem(
                    403, "forbidden_origin", "the origin of this page is not allowed");
        }
        return listed
                && request.method().equals(HttpMethod.OPTIONS)
                && request.getHeader(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD) != null;
    }

    /**
     * A target in absolute form names the host too (RFC 9112, section 3.2.2). It must equal the
     * Host header, so that all programs that process the request agree on the host.
     */
    private static void checkAuthority(String target, @Nullable String host) throws HttpProblem {
        Matcher absolute = ABSOLUTE.matcher(target);
        if (!absolute.lookingAt()) {
            return;
        }
        if (!absolute.group(1).equalsIgnoreCase(host)) {
            throw HttpProblem.badRequest("the target names another host than the Host header");
        }
        if (target.startsWith("?", absolute.end())) {
            throw HttpProblem.badRequest("the path does not begin with a slash");
        }
    }

    private boolean isOurs(String host, HttpServerRequest request, boolean loopback) {
        String name = nameOf(host).toLowerCase(Locale.ROOT);
        if (hosts.contains(name) || hosts.contains(ANY)) {
            return true;
        }
        if (loopback) {
            return isLoopback(name);
        }
        return hosts.isEmpty() || isLoopback(name) || name.equals(localName(request));
    }

    /**
     * Whether an address is a loopback address. A listener on all addresses gets such connections
     * too.
     */
    private static boolean isHere(@Nullable SocketAddress address) {
        String host = address == null ? null : address.hostAddress();
        byte[] bytes = host == null ? null : NetUtil.createByteArrayFromIpAddressString(host);
        try {
            return bytes != null && InetAddress.getByAddress(bytes).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static boolean isLoopback(String name) {
        return name.equals(LOCALHOST)
                || name.equals("[::1]")
                || (NetUtil.isValidIpV4Address(name) && name.startsWith("127."));
    }

    private static @Nullable String localName(HttpServerRequest request) {
        String address =
                request.localAddress() == null ? null : request.localAddress().hostAddress();
        return address == null || address.indexOf(':') < 0 ? address : "[" + address + "]";
    }

    /** A host without its port; an IPv6 address is in brackets. */
    private static String nameOf(String host) {
        if (NetUtil.isValidIpV6Address(host)) {
            return host.startsWith("[") ? host : "[" + host + "]";
        }
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    }

    private boolean isListed(String origin) {
        return origins.contains(ANY) || origins.contains(origin.toLowerCase(Locale.ROOT));
    }

    private void allow(HttpServerResponse response, String origin) {
        boolean any = origins.contains(ANY);
        response.putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, any ? ANY : origin);
        if (!any) {
            response.putHeader(HttpHeaders.VARY, "Origin");
        }
        response.putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        response.putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
        response.putHeader(HttpHeaders.ACCESS_CONTROL_MAX_AGE, "300");
    }

    private static boolean isForeign(
            HttpServerRequest request, @Nullable String origin, @Nullable String host) {
        if (origin != null) {
            String own = request.scheme() + "://" + host;
            return !origin.equalsIgnoreCase(own);
        }
        String site = request.getHeader("Sec-Fetch-Site");
        if (site == null || site.equals("same-origin") || site.equals("none")) {
            return false;
        }
        // Following a link to the dashboard is allowed: the foreign page does not see the response.
        boolean navigation =
                request.method().equals(HttpMethod.GET)
                        && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
                        && "document".equals(request.getHeader("Sec-Fetch-Dest"));
        return !navigation;
    }
}
