package io.holdfast.cli.client;

import io.holdfast.console.options.ConnectionOptions;
import io.holdfast.console.options.CredentialLookup;
import io.holdfast.console.options.ServerAddress;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The address of the server and the credentials, from options or environment variables. An option
 * overrides its variable; {@code --server} or {@code --shards} overrides both address variables. An
 * empty variable counts as unset.
 */
final class ServerOptions {
    static final String SHARDS = "HOLDFAST_SHARDS";

    /** All variables. */
    static final List<String> VARIABLES =
            List.of(
                    ConnectionOptions.SERVER,
                    SHARDS,
                    CredentialLookup.TOKEN,
                    CredentialLookup.TOKEN_FILE,
                    CredentialLookup.TLS_CA,
                    ConnectionOptions.TLS);

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT[,...]",
            description =
                    "The server, or several nodes of one cluster (default: 127.0.0.1:6388)."
                            + " Variable: HOLDFAST_SERVER.")
    private @Nullable String server;

    @Option(
            names = "--shards",
            paramLabel = "HOST:PORT,...",
            description =
                    "Independent servers, each with a part of the keys: all clients must list the"
                            + " same ones in the same order. Variable: HOLDFAST_SHARDS.")
    private @Nullable String shards;

    @Mixin private ConnectionOptions connection = new ConnectionOptions();

    /**
     * Returns the server to use.
     *
     * @throws IllegalArgumentException if options or variables contradict each other
     */
    ServerTarget target(Map<String, String> environment) {
        ConnectionOptions.Tls tls = connection.tls(environment);
        Optional<List<ServerAddress>> parts = shards(environment);
        return new ServerTarget(
                parts.isPresent() ? ServerTarget.Kind.SHARDS : ServerTarget.Kind.SERVER,
                parts
                        .orElseGet(() -> ConnectionOptions.servers("--server", server, environment))
                        .stream()
                        .map(ServerAddress::toString)
                        .toList(),
                connection.token(environment),
                tls.on(),
                tls.authorities(),
                Optional.empty(),
                Optional.empty(),
                event -> {});
    }

    private Optional<List<ServerAddress>> shards(Map<String, String> environment) {
        if (server != null || shards != null) {
            requireOne(server != null && shards != null, "--server and --shards");
            return Optional.ofNullable(shards)
                    .map(text -> ConnectionOptions.addresses("--shards", text));
        }
        Optional<String> variable = CredentialLookup.variable(environment, SHARDS);
        requireOne(
                variable.isPresent()
                        && CredentialLookup.variable(environment, ConnectionOptions.SERVER)
                                .isPresent(),
                "the variables " + ConnectionOptions.SERVER + " and " + SHARDS);
        return variable.map(text -> ConnectionOptions.addresses(SHARDS, text));
    }

    private static void requireOne(boolean both, String names) {
        if (both) {
            throw new IllegalArgumentException("Give only one of " + names);
        }
    }
}
