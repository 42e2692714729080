package io.holdfast.cli.serve;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Namespace;
import io.holdfast.http.HttpAddress;
import io.holdfast.server.ListenAddress;
import io.holdfast.server.ListenEndpoint;
import io.holdfast.server.ListenerProtocol;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Parses an address to listen on: {@code dflockd://HOST:PORT}, {@code lockd://HOST:PORT}, {@code
 * lockd+unix://PATH}, {@code lockd+ws://HOST:PORT}, {@code http://HOST:PORT} and their TLS forms,
 * {@code socketlock://PATH}, with settings as query parameters.
 */
final class ListenUrl {
    private static final int DFLOCKD_PORT = 6388;
    private static final int HTTP_PORT = 6389;

    /** The default port of lockd over TCP. */
    static final int LOCKD_PORT = 9999;

    /** The default port of lockd over WebSocket. */
    static final int WEBSOCKET_PORT = 9998;

    private static final String SCHEMES =
            "must begin with dflockd://, dflockds://, lockd://, lockds://, lockd+unix://,"
                    + " lockd+ws://, lockd+wss://, socketlock://, http:// or https://";

    private final String text;
    private final Map<String, String> settings;

    private ListenUrl(String text) {
        this.text = text;
        int question = text.indexOf('?');
        this.settings =
                question < 0 ? new LinkedHashMap<>() : settings(text.substring(question + 1));
    }

    /** Whether the URL is to be parsed by {@link #parseHttp}, not by {@link #parse}. */
    static boolean isHttp(String text) {
        return text.startsWith("http://") || text.startsWith("https://");
    }

    static HttpAddress parseHttp(String text) {
        ListenUrl url = new ListenUrl(text);
        ListenAddress.Tcp address = url.address(HTTP_PORT);
        HttpAddress http =
                new HttpAddress(
                        address.host(), address.port(), text.startsWith("https:"), url.namespace());
        url.checkAllUsed();
        return http;
    }

    static ListenEndpoint parse(String text) {
        if (text.isEmpty()) {
            throw new ConfigException("--listen has an empty address or an extra comma");
        }
        ListenUrl url = new ListenUrl(text);
        int end = text.indexOf("://");
        return switch (end < 0 ? "" : text.substring(0, end)) {
            case "dflockd" -> url.dflockd(false);
            case "dflockds" -> url.dflockd(true);
            case "lockd" -> url.lockd(false, false);
            case "lockds" -> url.lockd(true, false);
            case "lockd+ws" -> url.lockd(false, true);
            case "lockd+wss" -> url.lockd(true, true);
            case "lockd+unix" -> url.lockdUnix();
            case "socketlock" -> url.socketlock();
            default -> throw url.bad(SCHEMES);
        };
    }

    private ListenEndpoint dflockd(boolean tls) {
        ListenAddress listenAddress = address(DFLOCKD_PORT);
        ListenEndpoint listenEndpoint =
                new ListenEndpoint(listenAddress, tls, new ListenerProtocol.Dflockd(namespace()));
        checkAllUsed();
        return listenEndpoint;
    }

    private ListenEndpoint lockd(boolean tls, boolean webSocket) {
        ListenAddress listenAddress = address(webSocket ? WEBSOCKET_PORT : LOCKD_PORT);
        ListenEndpoint listenEndpoint =
                new ListenEndpoint(listenAddress, tls, lockdProtocol(webSocket));
        checkAllUsed();
        return listenEndpoint;
    }

    private ListenEndpoint lockdUnix() {
        ListenAddress listenAddress = unixAddress("lockd+unix:///run/lockd.sock");
        ListenEndpoint listenEndpoint =
                new ListenEndpoint(listenAddress, false, lockdProtocol(false));
        checkAllUsed();
        return listenEndpoint;
    }

    private ListenEndpoint socketlock() {
        ListenAddress listenAddress = unixAddress("socketlock:///run/deploy.sock");
        ListenEndpoint listenEndpoint =
                new ListenEndpoint(listenAddress, false, socketlockProtocol());
        checkAllUsed();
        return listenEndpoint;
    }

    private ListenAddress unixAddress(String example) {
        int question = text.indexOf('?');
        String path =
                text.substring(
                        text.indexOf("://") + "://".length(),
                        question < 0 ? text.length() : question);
        if (path.isEmpty()) {
            throw bad("needs a path, as in " + example);
        }
        String mode = settings.remove("mode");
        try {
            return new ListenAddress.Unix(
                    Path.of(path), mode == null ? null : FileModeParser.parse("mode", mode));
        } catch (InvalidPathException e) {
            throw bad("has an invalid path");
        }
    }

    private ListenerProtocol socketlockProtocol() {
        String policy = settings.remove("policy");
        String key = settings.remove("key");
        if (key == null && settings.containsKey("namespace")) {
            throw bad("has a namespace without a key");
        }
        if (key != null && key.isEmpty()) {
            throw bad("has an empty key");
        }
        return new ListenerProtocol.Socketlock(
                namespace(),
                key == null ? null : ByteString.of(key),
                policy == null
                        ? null
                        : SocketlockValues.policy(policy)
                                .orElseThrow(
                                        () ->
                                                bad(
                                                        "has policy="
                                                                + policy
                                                                + ": fifo, reader or writer")),
                SocketlockValues.limits(
                        duration("request-timeout"),
                        duration("confirm-timeout"),
                        duration("max-ttl")));
    }

    private Duration duration(String name) {
        String value = settings.remove(name);
        return value == null
                ? Duration.ZERO
                : GoDurations.parse(value)
                        .orElseThrow(
                                () ->
                                        bad(
                                                "has "
                                                        + name
                                                        + "="
                                                        + value
                                                        + ": a time such as 700ms, 2s or"
                                                        + " 1m30s"));
    }

    private ListenerProtocol lockdProtocol(boolean webSocket) {
        return new ListenerProtocol.Lockd(
                namespace(), webSocket, isOn("allow-dump"), isOn("enable-registry"));
    }

    private Namespace namespace() {
        String name = settings.remove("namespace");
        return name == null || name.isEmpty() ? Namespace.DEFAULT : new Namespace(name);
    }

    private boolean isOn(String name) {
        String value = settings.remove(name);
        return value != null
                && FlagBooleans.parse(value)
                        .orElseThrow(() -> bad("has " + name + "=" + value + ": true or false"));
    }

    private ListenAddress.Tcp address(int defaultPort) {
        URI url;
        try {
            url = new URI(text);
        } catch (URISyntaxException e) {
            throw bad("is not a URL");
        }
        String host = url.getHost();
        if (host == null) {
            throw bad("needs a host and a port of 0-65535, as in dflockd://127.0.0.1:6388");
        }
        boolean more =
                url.getUserInfo() != null
                        || url.getFragment() != null
                        || !(url.getPath().isEmpty() || url.getPath().equals("/"));
        if (more) {
            throw bad("must have a host and a port only");
        }
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        int port = url.getPort() == -1 ? defaultPort : url.getPort();
        if (port > 65535) {
            throw bad("needs a port of 0-65535");
        }
        return new ListenAddress.Tcp(host, port);
    }

    private Map<String, String> settings(String query) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String previous =
                    found.put(name, equals < 0 ? "true" : decode(pair.substring(equals + 1)));
            if (previous != null) {
                throw bad("has the parameter " + name + " twice");
            }
        }
        return found;
    }

    private String decode(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw bad("is not a URL");
        }
    }

    private void checkAllUsed() {
        if (!settings.isEmpty()) {
            throw bad("has an unknown setting: " + settings.keySet().iterator().next());
        }
    }

    private ConfigException bad(String why) {
        return new ConfigException("--listen " + text + " " + why);
    }
}
