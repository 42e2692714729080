package io.holdfast.cli.watch;

import io.holdfast.console.options.CredentialLookup;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The HTTP address of a server and the credentials, from options or variables. */
final class HttpOptions {
    static final String HTTP = "HOLDFAST_HTTP";

    private static final String DEFAULT_URL = "http://127.0.0.1:6389";

    @Option(
            names = "--http",
            paramLabel = "URL",
            description =
                    "HTTP address of the server (default: http://127.0.0.1:6389). Variable:"
                            + " HOLDFAST_HTTP.")
    private @Nullable String url;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "File with the auth token or the read token of the server. Variables:"
                            + " HOLDFAST_TOKEN_FILE, or HOLDFAST_TOKEN with the token itself.")
    private @Nullable String tokenFile;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description =
                    "PEM file with the certificates to trust for https. Variable:"
                            + " HOLDFAST_TLS_CA.")
    private @Nullable String authorities;

    /**
     * Creates a reader; it does not connect yet.
     *
     * @throws IllegalArgumentException if an option or a variable is invalid
     */
    HttpReader open(Map<String, String> environment) {
        String text =
                url != null
                        ? url
                        : CredentialLookup.variable(environment, HTTP).orElse(DEFAULT_URL);
        URI base = parse(text);
        boolean tls = "https".equals(base.getScheme());
        if (authorities != null && !tls) {
            throw new IllegalArgumentException("--tls-ca requires an https:// address");
        }
        Optional<Path> trusted =
                tls ? CredentialLookup.trusted(authorities, environment) : Optional.empty();
        return new HttpReader(base, CredentialLookup.token(tokenFile, environment), trusted);
    }

    /** Parses a URL without a query, and removes slashes at its end. */
    private static URI parse(String text) {
        try {
            URI uri = new URI(text);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            boolean good =
                    (scheme.equals("http") || scheme.equals("https"))
                            && uri.getHost() != null
                            && uri.getUserInfo() == null
                            && uri.getRawQuery() == null
                            && uri.getRawFragment() == null;
            if (good) {
                String path = uri.getRawPath().replaceAll("/+$", "");
                return new URI(scheme + "://" + uri.getRawAuthority() + path);
            }
        } catch (URISyntaxException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "'" + text + "' is not a URL like http://127.0.0.1:6389");
    }
}
