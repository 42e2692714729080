package io.holdfast.client.internal.service;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/**
 * The settings of the connections to one service.
 *
 * @param addresses the addresses of the service, unresolved; the client connects to any of them
 * @param tls null for no TLS
 * @param authToken null for no authentication; read at each connect
 * @param plain never try tagged mode
 * @param executor runs callbacks that take time, and reads sockets
 */
public record ServiceConfig(
        List<InetSocketAddress> addresses,
        @Nullable SSLContext tls,
        @Nullable Supplier<String> authToken,
        Duration connectTimeout,
        Duration readTimeout,
        Duration grace,
        String label,
        int maxConnections,
        boolean plain,
        Executor executor) {}
