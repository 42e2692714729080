package io.holdfast.cli.client;

import io.holdfast.cli.options.ConnectionOptions;
import io.holdfast.cli.options.CredentialOptions;
import io.holdfast.cli.options.ServerAddress;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the server is and what it wants to see, by option or by variable. An option wins over its
 * variable; one that says where puts all variables that do out of force. An empty variable counts
 * as none.
 */
final class ServerOptions {
    static final String SHARDS = "HOLDFAST_SHARDS";

    /** All of them. */
    static final List<String> VARIABLES =
            List.of(
                    ConnectionOptions.SERVER,
                    SHARDS,
                    CredentialOptions.TOKEN,
                    CredentialOptions.TOKEN_FILE,
                    CredentialOptions.TLS_CA,
                    ConnectionOptions.TLS);

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT[,...]",
            description =
                    "The server (127.0.0.1:6388); of a cluster several nodes, any of which will do."
                            + " Variable: HOLDFAST_SERVER.")
    private @Nullable String server;

    @Option(
            names = "--shards",
            paramLabel = "HOST:PORT,...",
            description =
                    "Independent servers, each with a part of the keys: the same ones in the same"
                            + " order for all clients. Variable: HOLDFAST_SHARDS.")
    private @Nullable String shards;

    @Mixin private ConnectionOptions connection = new ConnectionOptions();

    /**
     * What they amount to.
     *
     * @throws IllegalArgumentException if they contradict each other
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
                event -> {});
    }

    private Optional<List<ServerAddress>> shards(Map<String, String> environment) {
        if (server != null || shards != null) {
            requireOne(server != null && shards != null, "--server and --shards");
            return Optional.ofNullable(shards)
                    .map(text -> ConnectionOptions.addresses("--shards", text));
        }
        Optional<String> variable = CredentialOptions.variable(environment, SHARDS);
        requireOne(
                variable.isPresent()
                        && CredentialOptions.variable(environment, ConnectionOptions.SERVER)
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
