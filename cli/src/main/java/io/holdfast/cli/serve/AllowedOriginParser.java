package io.holdfast.cli.serve;

import io.holdfast.driver.config.ConfigException;

import java.net.URI;
import java.net.URISyntaxException;

/** Parses a value of {@code --ws-allow-origin}: a host name, or an origin URL with one. */
final class AllowedOriginParser {
    private AllowedOriginParser() {}

    static String parse(String text) {
        try {
            URI url = new URI(text.contains("://") ? text : "http://" + text);
            if (url.getHost() != null) {
                return url.getHost();
            }
        } catch (URISyntaxException e) {
            // reported below
        }
        throw new ConfigException(
                "--ws-allow-origin must be a host name, as in app.example.com (got " + text + ")");
    }
}
