package io.holdfast.cli.client;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

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
    static final String TOKEN = "HOLDFAST_TOKEN";
    static final String TOKEN_FILE = "HOLDFAST_TOKEN_FILE";
    static final String CA_FILE = "HOLDFAST_CA_FILE";
    static final String TLS = "HOLDFAST_TLS";

    /** All of them. */
    static final List<String> VARIABLES =
            List.of(SERVER, CLUSTER, SHARDS, TOKEN, TOKEN_FILE, CA_FILE, TLS);

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
                        : given(caFile, environment, CA_FILE).map(ServerOptions::path);
        return new Target(
                kind,
                addresses,
                token(environment),
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
                        variable(environment, SERVER),
                        variable(environment, CLUSTER),
                        variable(environment, SHARDS),
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

    /** In the order that the server has for its own variables. */
    private Optional<Supplier<String>> token(Map<String, String> environment) {
        Optional<String> secret = variable(environment, TOKEN);
        if (tokenFile == null && secret.isPresent()) {
            String text = secret.get().strip();
            return Optional.of(() -> text);
        }
        return given(tokenFile, environment, TOKEN_FILE)
                .map(ServerOptions::path)
                .map(
                        file -> {
                            String _ = read(file); // so that a wrong name is told at once
                            return () -> read(file);
                        });
    }

    private static String read(Path file) {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException("Cannot read the token file " + file, e);
        }
        if (text.isEmpty()) {
            throw new IllegalArgumentException("The token file " + file + " is empty");
        }
        return text;
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("'" + text + "' is not the name of a file", e);
        }
    }

    private static boolean tlsVariable(Map<String, String> environment) {
        String text = variable(environment, TLS).orElse("false");
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "true" -> true;
            case "0", "no", "false" -> false;
            default ->
                    throw new IllegalArgumentException(
                            TLS + " must be true or false (got " + text + ")");
        };
    }

    private static Optional<String> given(
            @Nullable String option, Map<String, String> environment, String variable) {
        return option != null ? Optional.of(option) : variable(environment, variable);
    }

    private static Optional<String> variable(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(text -> !text.isEmpty());
    }
}
