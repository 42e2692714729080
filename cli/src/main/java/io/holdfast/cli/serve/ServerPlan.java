package io.holdfast.cli.serve;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.server.RestartQuarantineConfig;
import io.holdfast.server.ServerConfig;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * The configuration of a server and of everything around it.
 *
 * @param http null without HTTP
 * @param cluster null if the state is in memory only
 * @param secrets reads the secrets again for a reload; null if the command has no secrets
 * @param restart null for no quarantine after a crash
 */
record ServerPlan(
        ServerConfig server,
        @Nullable HttpSettings http,
        @Nullable ClusterConfig cluster,
        @Nullable Supplier<ServerSecrets> secrets,
        @Nullable RestartQuarantineConfig restart) {
    /** A server with its state in memory, without HTTP and secrets. */
    ServerPlan(ServerConfig server) {
        this(server, null, null, null, null);
    }
}
