package io.holdfast.client.wire;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/**
 * How to reach one service.
 *
 * @param addresses any of them will do; unresolved
 * @param tls null for none
 * @param authToken null for none; asked at each connect
 * @param plain never try tagged mode
 * @param executor for callbacks that take time, and for reading sockets
 */
public record WireConfig(
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
