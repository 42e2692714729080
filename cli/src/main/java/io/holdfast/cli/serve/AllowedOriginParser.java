package io.holdfast.cli.serve;

import io.holdfast.server.ConfigException;

import java.net.URI;
import java.net.URISyntaxException;

/** Reads the names of {@code --ws-allow-origin}: a host name, or a whole origin around it. */
final class AllowedOriginParser {
    private AllowedOriginParser() {}

    static String parse(String text) {
        try {
            URI url = new URI(text.contains("://") ? text : "http://" + text);
            if (url.getHost() != null) {
                return url.getHost();
            }
        } catch (URISyntaxException e) {
            // told below
        }
        throw new ConfigException(
                "--ws-allow-origin must be a host name, as in app.example.com (got " + text + ")");
    }
}
