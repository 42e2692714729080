package io.holdfast.cli.serve;

import io.holdfast.server.Address;
import io.holdfast.server.ConfigException;
import io.holdfast.server.Endpoint;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.Protocol;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.StartException;
import io.holdfast.server.connection.PeerName;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Runs a server until a signal ends it. */
final class ServerRun {
    private static final Logger LOG = LoggerFactory.getLogger(ServerRun.class);

    /** A shell may send one signal twice, to a process and to its group. */
    private static final long SAME_SIGNAL_NANOS = 5_000_000L;

    private ServerRun() {}

    /** Returns the exit status. */
    static int run(ServerConfig config) {
        HoldfastServer server;
        try {
            server = HoldfastServer.start(config);
        } catch (StartException e) {
            LOG.atError().log(String.valueOf(e.getMessage()));
            return 1;
        } catch (ConfigException e) {
            return configurationError(e);
        }
        warnIfOpen(config, server.addresses());
        AtomicBoolean ending = new AtomicBoolean();
        AtomicLong firstNanos = new AtomicLong(System.nanoTime());
        Signals.onEnd(
                status -> {
                    if (ending.getAndSet(true)) {
                        if (System.nanoTime() - firstNanos.get() < SAME_SIGNAL_NANOS) {
                            return;
                        }
                        LOG.warn("second signal, ending at once");
                        Runtime.getRuntime().halt(status);
                    }
                    firstNanos.set(System.nanoTime());
                    Thread.ofPlatform().name("holdfast-drain").start(server::drain);
                });
        try {
            server.awaitEnd();
        } catch (InterruptedException e) {
            server.close();
        }
        return 0;
    }

    static int configurationError(Exception e) {
        System.err.println("configuration error: " + e.getMessage());
        return 1;
    }

    private static void warnIfOpen(ServerConfig config, List<InetSocketAddress> addresses) {
        Iterator<InetSocketAddress> next = addresses.iterator();
        for (Endpoint endpoint : config.listeners()) {
            if (endpoint.address() instanceof Address.Tcp) {
                warnIfOpen(endpoint, next.next(), config.secret() != null);
            }
        }
        if (config.secret() != null && config.listeners().stream().anyMatch(ServerRun::isLockd)) {
            LOG.warn("lockd has no password: the auth token protects dflockd alone");
        }
    }

    private static boolean isLockd(Endpoint endpoint) {
        return endpoint.protocol() instanceof Protocol.Lockd;
    }

    private static void warnIfOpen(Endpoint endpoint, InetSocketAddress address, boolean secret) {
        boolean tls = endpoint.tls();
        if (address.getAddress().isLoopbackAddress()) {
            return;
        }
        if (isLockd(endpoint)) {
            LOG.atWarn()
                    .addKeyValue("addr", PeerName.of(address))
                    .log(
                            "open beyond this machine: lockd has no password, so whoever reaches"
                                    + " it can lock");
        } else if (!tls || !secret) {
            LOG.atWarn()
                    .addKeyValue("addr", PeerName.of(address))
                    .log(
                            "open beyond this machine without {}",
                            tls ? "auth" : secret ? "TLS" : "auth and TLS");
        }
    }
}
