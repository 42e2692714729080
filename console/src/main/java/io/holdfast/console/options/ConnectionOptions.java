package io.holdfast.console.options;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * How to connect to a server: the auth token and TLS. An option overrides its variable. All methods
 * throw {@link IllegalArgumentException} with a message for the user.
 */
public final class ConnectionOptions {
    /** The variable with the addresses of the servers. */
    public static final String SERVER = "HOLDFAST_SERVER";

    private static final String DEFAULT_SERVER = "127.0.0.1:6388";

    public static final String TLS = "HOLDFAST_TLS";

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "File with the auth token of the server. Variables: HOLDFAST_TOKEN_FILE, or"
                            + " HOLDFAST_TOKEN with the token itself.")
    private @Nullable String tokenFile;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description =
                    "PEM file with the certificates to trust; implies --tls. Variable:"
                            + " HOLDFAST_TLS_CA.")
    private @Nullable String authorities;

    @Option(
            names = "--tls",
            negatable = true,
            fallbackValue = "true",
            description = "Use TLS. Variable: HOLDFAST_TLS.")
    private @Nullable Boolean tls;

    /**
     * Whether to use TLS.
     *
     * @param authorities file with the certificates to trust; if empty, those that the JVM trusts
     */
    public record Tls(boolean on, Optional<Path> authorities) {}

    /** Returns the names of the options. */
    public static List<String> names() {
        return List.of("--token-file", "--tls-ca", "--tls");
    }

    /** Returns the auth token; a token file is read again at each call of the supplier. */
    public Optional<Supplier<String>> token(Map<String, String> environment) {
        return CredentialLookup.token(tokenFile, environment);
    }

    public Tls tls(Map<String, String> environment) {
        if (authorities != null && Boolean.FALSE.equals(tls)) {
            throw new IllegalArgumentException("Give only one of --tls-ca and --no-tls");
        }
        if (Boolean.FALSE.equals(tls)) {
            return new Tls(false, Optional.empty());
        }
        Optional<Path> trusted = CredentialLookup.trusted(authorities, environment);
        boolean on = tls != null ? tls : trusted.isPresent() || tlsVariable(environment);
        return new Tls(on, trusted);
    }

    /**
     * Returns the addresses from the option or {@link #SERVER}, else the default address.
     *
     * @param name name of the option, for messages
     * @param value value of the option; null if it was not given
     */
    public static List<ServerAddress> servers(
            String name, @Nullable String value, Map<String, String> environment) {
        return value != null
                ? addresses(name, value)
                : addresses(
                        SERVER,
                        CredentialLookup.variable(environment, SERVER).orElse(DEFAULT_SERVER));
    }

    /**
     * Parses addresses separated by commas.
     *
     * @param name name of the option or variable that they come from
     */
    public static List<ServerAddress> addresses(String name, String text) {
        try {
            return Stream.of(text.split(",", -1))
                    .map(String::strip)
                    .map(ServerAddress::parse)
                    .toList();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }

    private static boolean tlsVariable(Map<String, String> environment) {
        String text = CredentialLookup.variable(environment, TLS).orElse("false");
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "true" -> true;
            case "0", "no", "false" -> false;
            default ->
                    throw new IllegalArgumentException(
                            TLS + " must be true or false (got " + text + ")");
        };
    }
}
