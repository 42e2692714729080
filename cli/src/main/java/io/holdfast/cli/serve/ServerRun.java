package io.holdfast.cli.serve;

import io.holdfast.server.ConfigException;
import io.holdfast.server.Endpoint;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.StartException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;
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
        for (int i = 0; i < addresses.size(); i++) {
            InetSocketAddress address = addresses.get(i);
            boolean tls = config.listeners().get(i).tls();
            boolean auth = config.secret() != null;
            if (address.getAddress().isLoopbackAddress() || (tls && auth)) {
                continue;
            }
            String missing = tls ? "auth" : auth ? "TLS" : "auth and TLS";
            LOG.atWarn()
                    .addKeyValue("addr", Endpoint.format(address))
                    .log("open beyond this machine without {}", missing);
        }
    }
}
