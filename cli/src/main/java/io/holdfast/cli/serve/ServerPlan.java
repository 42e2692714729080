package io.holdfast.cli.serve;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.server.ServerConfig;

import org.jspecify.annotations.Nullable;

/**
 * All that a server is to serve.
 *
 * @param http null if it does not serve HTTP
 * @param cluster null if it keeps everything in memory
 */
record ServerPlan(
        ServerConfig server, @Nullable HttpSettings http, @Nullable ClusterConfig cluster) {
    /** In memory alone. */
    ServerPlan(ServerConfig server, @Nullable HttpSettings http) {
        this(server, http, null);
    }
}
