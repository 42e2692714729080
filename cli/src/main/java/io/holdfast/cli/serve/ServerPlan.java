package io.holdfast.cli.serve;

import io.holdfast.server.ServerConfig;

import org.jspecify.annotations.Nullable;

/**
 * All that a server is to serve.
 *
 * @param http null if it does not serve HTTP
 */
record ServerPlan(ServerConfig server, @Nullable HttpSettings http) {}
