package io.holdfast.cli.serve;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.http.HttpAddress;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.ListenScheme;
import io.holdfast.server.listener.OptionReader;

import org.jspecify.annotations.Nullable;

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
 * An address to listen on: a scheme of {@link ListenSchemes} or of HTTP, {@code HOST:PORT} or a
 * path, and options as query parameters.
 */
final class ListenUrl implements OptionReader {
    private static final int HTTP_PORT = 6389;

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
        return parse(text, ListenSchemes.ALL);
    }

    static ListenEndpoint parse(String text, ListenSchemes schemes) {
        if (text.isEmpty()) {
            throw new ConfigException("--listen has an empty address or an extra comma");
        }
        ListenUrl url = new ListenUrl(text);
        ListenScheme scheme =
                schemes.find(text)
                        .orElseThrow(() -> url.invalid("must begin with " + schemes.beginnings()));
        ListenAddress address =
                switch (scheme.example()) {
                    case ListenAddress.Tcp example -> url.address(example.port());
                    case ListenAddress.Unix example ->
                            url.unixAddress(scheme.name() + "://" + example);
                };
        ListenEndpoint endpoint =
                new ListenEndpoint(scheme, address, scheme.protocol().options(url));
        url.checkAllUsed();
        return endpoint;
    }

    private ListenAddress unixAddress(String example) {
        int question = text.indexOf('?');
        String path =
                text.substring(
                        text.indexOf("://") + "://".length(),
                        question < 0 ? text.length() : question);
        if (path.isEmpty()) {
            throw invalid("needs a path, as in " + example);
        }
        String mode = settings.remove("mode");
        try {
            return new ListenAddress.Unix(
                    Path.of(path), mode == null ? null : FileModeParser.parse("mode", mode));
        } catch (InvalidPathException e) {
            throw invalid("has an invalid path");
        }
    }

    @Override
    public boolean has(String name) {
        return settings.containsKey(name);
    }

    @Override
    public @Nullable String text(String name) {
        return settings.remove(name);
    }

    @Override
    public Duration duration(String name) {
        String value = settings.remove(name);
        return value == null
                ? Duration.ZERO
                : GoDurations.parse(value)
                        .orElseThrow(
                                () ->
                                        invalid(
                                                "has "
                                                        + name
                                                        + "="
                                                        + value
                                                        + ": a time such as 700ms, 2s or"
                                                        + " 1m30s"));
    }

    @Override
    public boolean isOn(String name) {
        String value = settings.remove(name);
        return value != null
                && FlagBooleans.parse(value)
                        .orElseThrow(
                                () -> invalid("has " + name + "=" + value + ": true or false"));
    }

    private ListenAddress.Tcp address(int defaultPort) {
        URI url;
        try {
            url = new URI(text);
        } catch (URISyntaxException e) {
            throw invalid("is not a URL");
        }
        String host = url.getHost();
        if (host == null) {
            throw invalid("needs a host and a port of 0-65535, as in dflockd://127.0.0.1:6388");
        }
        boolean more =
                url.getUserInfo() != null
                        || url.getFragment() != null
                        || !(url.getPath().isEmpty() || url.getPath().equals("/"));
        if (more) {
            throw invalid("must have a host and a port only");
        }
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        int port = url.getPort() == -1 ? defaultPort : url.getPort();
        if (port > 65535) {
            throw invalid("needs a port of 0-65535");
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
                throw invalid("has the parameter " + name + " twice");
            }
        }
        return found;
    }

    private String decode(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw invalid("is not a URL");
        }
    }

    private void checkAllUsed() {
        if (!settings.isEmpty()) {
            throw invalid("has an unknown setting: " + settings.keySet().iterator().next());
        }
    }

    @Override
    public ConfigException invalid(String why) {
        return new ConfigException("--listen " + text + " " + why);
    }
}
