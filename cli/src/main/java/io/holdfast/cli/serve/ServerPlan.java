package io.holdfast.cli.serve;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.server.RestartConfig;
import io.holdfast.server.ServerConfig;

import org.jspecify.annotations.Nullable;

/**
 * All that a server is to serve.
 *
 * @param http null if it does not serve HTTP
 * @param cluster null if it keeps everything in memory
 * @param restart null if a restart after a crash grants locks at once
 */
record ServerPlan(
        ServerConfig server,
        @Nullable HttpSettings http,
        @Nullable ClusterConfig cluster,
        @Nullable RestartConfig restart) {
    /** In memory alone. */
    ServerPlan(ServerConfig server, @Nullable HttpSettings http) {
        this(server, http, null, null);
    }
}
