package io.holdfast.cli.serve;

import io.holdfast.server.ConfigException;
import io.holdfast.server.Endpoint;

import java.net.URI;
import java.net.URISyntaxException;

/** Reads {@code dflockd://HOST:PORT} and its TLS form {@code dflockds://HOST:PORT}. */
final class ListenUrl {
    private static final int DEFAULT_PORT = 6388;

    private ListenUrl() {}

    static Endpoint parse(String text) {
        URI url;
        try {
            url = new URI(text);
        } catch (URISyntaxException e) {
            throw bad(text, "not a URL");
        }
        boolean tls =
                switch (String.valueOf(url.getScheme())) {
                    case "dflockd" -> false;
                    case "dflockds" -> true;
                    default -> throw bad(text, "must begin with dflockd:// or dflockds://");
                };
        String host = url.getHost();
        if (host == null) {
            throw bad(text, "needs a host and a port of 0-65535, as in dflockd://127.0.0.1:6388");
        }
        boolean more =
                url.getUserInfo() != null
                        || url.getQuery() != null
                        || url.getFragment() != null
                        || !(url.getPath().isEmpty() || url.getPath().equals("/"));
        if (more) {
            throw bad(text, "has more in it than a host and a port");
        }
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        int port = url.getPort() == -1 ? DEFAULT_PORT : url.getPort();
        if (port > 65535) {
            throw bad(text, "needs a port of 0-65535");
        }
        return new Endpoint(host, port, tls);
    }

    private static ConfigException bad(String text, String why) {
        return new ConfigException("--listen " + text + " " + why);
    }
}
