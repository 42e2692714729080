package io.holdfast.cli.serve;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.server.RestartQuarantineConfig;
import io.holdfast.server.ServerConfig;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * All that a server is to serve.
 *
 * @param http null if it does not serve HTTP
 * @param cluster null if it keeps everything in memory
 * @param secrets reads the secrets again; null if there can be none
 * @param restart null if a restart after a crash grants locks at once
 */
record ServerPlan(
        ServerConfig server,
        @Nullable HttpSettings http,
        @Nullable ClusterConfig cluster,
        @Nullable Supplier<ServerSecrets> secrets,
        @Nullable RestartQuarantineConfig restart) {
    /** In memory alone, with listeners that know no secrets. */
    ServerPlan(ServerConfig server) {
        this(server, null, null, null, null);
    }
}
