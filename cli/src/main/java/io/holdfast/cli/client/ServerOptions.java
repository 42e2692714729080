package io.holdfast.cli.client;

import io.holdfast.cli.options.Credentials;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Where the server is and what it wants to see, by option or by variable. An option wins over its
 * variable; one that says where puts all variables that do out of force. An empty variable counts
 * as none.
 */
final class ServerOptions {
    private static final String USUAL = "127.0.0.1:6388";

    static final String SERVER = "HOLDFAST_SERVER";
    static final String CLUSTER = "HOLDFAST_CLUSTER";
    static final String SHARDS = "HOLDFAST_SHARDS";
    static final String TLS = "HOLDFAST_TLS";

    /** All of them. */
    static final List<String> VARIABLES =
            List.of(
                    SERVER,
                    CLUSTER,
                    SHARDS,
                    Credentials.TOKEN,
                    Credentials.TOKEN_FILE,
                    Credentials.CA_FILE,
                    TLS);

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            description = "The server (127.0.0.1:6388). Variable: HOLDFAST_SERVER.")
    private @Nullable String server;

    @Option(
            names = "--cluster",
            paramLabel = "HOST:PORT,...",
            description =
                    "One service with several addresses, any of which will do. Variable:"
                            + " HOLDFAST_CLUSTER.")
    private @Nullable String cluster;

    @Option(
            names = "--shards",
            paramLabel = "HOST:PORT,...",
            description =
                    "Independent servers, each with a part of the keys: the same ones in the same"
                            + " order for all clients. Variable: HOLDFAST_SHARDS.")
    private @Nullable String shards;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "File with the secret that the server wants. Variables: HOLDFAST_TOKEN_FILE, or"
                            + " HOLDFAST_TOKEN with the secret itself.")
    private @Nullable String tokenFile;

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description =
                    "PEM file with the certificates to trust; asks for TLS. Variable:"
                            + " HOLDFAST_CA_FILE.")
    private @Nullable String caFile;

    @Option(
            names = "--tls",
            negatable = true,
            fallbackValue = "true",
            description = "Use TLS. Variable: HOLDFAST_TLS.")
    private @Nullable Boolean tls;

    /**
     * What they amount to.
     *
     * @throws IllegalArgumentException if they contradict each other
     */
    Target target(Map<String, String> environment) {
        if (caFile != null && Boolean.FALSE.equals(tls)) {
            throw new IllegalArgumentException("Give only one of --ca-file and --no-tls");
        }
        Map<Target.Kind, String> where = where(environment);
        Target.Kind kind = where.keySet().iterator().next();
        List<String> addresses = addresses(kind, where.getOrDefault(kind, ""));
        Optional<Path> trusted =
                Boolean.FALSE.equals(tls)
                        ? Optional.empty()
                        : Credentials.trusted(caFile, environment);
        return new Target(
                kind,
                addresses,
                Credentials.token(tokenFile, environment),
                tls != null ? tls : trusted.isPresent() || tlsVariable(environment),
                trusted,
                Optional.empty(),
                event -> {});
    }

    /** Exactly one. */
    private Map<Target.Kind, String> where(Map<String, String> environment) {
        Map<Target.Kind, String> options =
                only(
                        Optional.ofNullable(server),
                        Optional.ofNullable(cluster),
                        Optional.ofNullable(shards),
                        "--server, --cluster and --shards");
        if (!options.isEmpty()) {
            return options;
        }
        Map<Target.Kind, String> variables =
                only(
                        Credentials.variable(environment, SERVER),
                        Credentials.variable(environment, CLUSTER),
                        Credentials.variable(environment, SHARDS),
                        "the variables " + SERVER + ", " + CLUSTER + " and " + SHARDS);
        return variables.isEmpty() ? Map.of(Target.Kind.SERVER, USUAL) : variables;
    }

    private static Map<Target.Kind, String> only(
            Optional<String> one, Optional<String> several, Optional<String> parts, String names) {
        Map<Target.Kind, String> given = new EnumMap<>(Target.Kind.class);
        one.ifPresent(text -> given.put(Target.Kind.SERVER, text));
        several.ifPresent(text -> given.put(Target.Kind.CLUSTER, text));
        parts.ifPresent(text -> given.put(Target.Kind.SHARDS, text));
        if (given.size() > 1) {
            throw new IllegalArgumentException("Give only one of " + names);
        }
        return given;
    }

    private static List<String> addresses(Target.Kind kind, String text) {
        List<String> addresses = List.of(text.split(",", -1)).stream().map(String::strip).toList();
        if (addresses.contains("")) {
            throw new IllegalArgumentException("'" + text + "' is not " + expected(kind));
        }
        if (kind == Target.Kind.SERVER && addresses.size() > 1) {
            throw new IllegalArgumentException(
                    "--server is one server; several addresses of one service are --cluster,"
                            + " independent servers are --shards");
        }
        return addresses;
    }

    private static String expected(Target.Kind kind) {
        return kind == Target.Kind.SERVER ? "HOST:PORT" : "HOST:PORT,HOST:PORT,...";
    }

    private static boolean tlsVariable(Map<String, String> environment) {
        String text = Credentials.variable(environment, TLS).orElse("false");
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "true" -> true;
            case "0", "no", "false" -> false;
            default ->
                    throw new IllegalArgumentException(
                            TLS + " must be true or false (got " + text + ")");
        };
    }
}
