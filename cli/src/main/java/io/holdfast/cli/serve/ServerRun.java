package io.holdfast.cli.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cli.logging.LineLogger;
import io.holdfast.cli.process.ProcessSignal;
import io.holdfast.cli.process.SignalHandlers;
import io.holdfast.cli.process.TerminalDetector;
import io.holdfast.http.HttpAddress;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.connection.AddressFormat;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.ServerProtocol;
import io.holdfast.server.listener.StartException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/** Runs a server until a signal ends it. */
final class ServerRun {
    private static final Logger LOG = LoggerFactory.getLogger(ServerRun.class);

    /** A shell may send one signal twice: to a process, and to its group. */
    private static final long SAME_SIGNAL_NANOS = 5_000_000L;

    private ServerRun() {}

    /** Handles signals: the first one drains the server, a second one ends the process at once. */
    private static final class Ending {
        @GuardedBy("this")
        private @Nullable HoldfastServer server;

        @GuardedBy("this")
        private boolean begun;

        @GuardedBy("this")
        private boolean interruptible;

        @GuardedBy("this")
        private long firstNanos;

        /** Null before the server runs, or if nothing can be reloaded. */
        @GuardedBy("this")
        private @Nullable SecretAndCertificateReload secretAndCertificateReload;

        @GuardedBy("this")
        private boolean reloadPending;

        synchronized void signal(int status) {
            if (begun) {
                if (System.nanoTime() - firstNanos < SAME_SIGNAL_NANOS) {
                    return;
                }
                LOG.warn("second signal: exiting without draining");
                Runtime.getRuntime().halt(status);
            }
            begun = true;
            firstNanos = System.nanoTime();
            if (interruptible && server == null) {
                LOG.info("stopped by a signal before the server was started");
                Runtime.getRuntime().halt(status);
            }
            drain();
        }

        /**
         * The terminal was closed: like a first signal, but repeating it does not end the process.
         */
        synchronized void terminalClosed() {
            if (!begun) {
                signal(ProcessSignal.HUP.status());
            }
        }

        /** Reloads secrets and certificates; if the server is still starting, after its start. */
        void reload() {
            SecretAndCertificateReload ready;
            synchronized (this) {
                if (begun) {
                    return;
                }
                ready = secretAndCertificateReload;
                reloadPending = ready == null;
            }
            if (ready != null) {
                ready.run();
            }
        }

        /** Lets a signal end the process during the start, which may wait for other nodes. */
        synchronized void mayInterrupt() {
            interruptible = true;
        }

        /** The server runs; handles a signal that came during the start. */
        void started(HoldfastServer running, @Nullable SecretAndCertificateReload reloading) {
            boolean reloadNow;
            synchronized (this) {
                server = running;
                secretAndCertificateReload = reloading;
                reloadNow = reloadPending && !begun;
                drain();
            }
            if (reloadNow && reloading != null) {
                reloading.run();
            }
        }

        /** Returns what remains of a duration that began with the first signal. */
        synchronized Duration left(Duration duration) {
            return begun ? duration.minusNanos(System.nanoTime() - firstNanos) : duration;
        }

        @GuardedBy("this")
        private void drain() {
            HoldfastServer running = server;
            if (begun && running != null) {
                Thread.ofPlatform().name("holdfast-drain").start(running::drain);
            }
        }
    }

    /**
     * Returns the exit status.
     *
     * @param listenOption the option to suggest if an address is already in use
     * @param pidFile file to write the process id to; null for none
     */
    static int run(ServerPlan plan, String listenOption, @Nullable String pidFile) {
        return run(plan, pidFile, e -> logFailure(e, listenOption));
    }

    /**
     * Returns the exit status.
     *
     * @param failed reports that the start has failed
     */
    static int runQuietly(ServerPlan plan, Consumer<StartException> failed) {
        return run(plan, null, failed);
    }

    private static void logFailure(StartException e, String listenOption) {
        String text = String.valueOf(e.getMessage());
        LOG.atError()
                .log(
                        text.endsWith(" is already in use")
                                ? text + "; choose another with " + listenOption
                                : text);
    }

    private static int run(
            ServerPlan plan, @Nullable String pidFile, Consumer<StartException> failed) {
        LineLogger.setDebug(plan.debug());
        Ending ending = new Ending();
        // checked before the server is reachable
        boolean drains = plan.secrets() == null || TerminalDetector.isThere();
        Runnable hangup = drains ? ending::terminalClosed : ending::reload;
        try (SignalHandlers.Registration _ = SignalHandlers.onEnd(ending::signal);
                SignalHandlers.Registration _ = SignalHandlers.onHangup(hangup)) {
            if (pidFile == null) {
                return serve(plan, ending, failed);
            }
            try (PidFile _ = PidFile.write(pidFile)) {
                return serve(plan, ending, failed);
            }
        }
    }

    private static int serve(ServerPlan plan, Ending ending, Consumer<StartException> failed) {
        if (plan.cluster() == null) {
            return serve(plan, null, ending, failed);
        }
        ending.mayInterrupt();
        try (ClusterDriverSource cluster = new ClusterDriverSource(plan.cluster())) {
            return serve(plan, cluster, ending, failed);
        }
    }

    private static int serve(
            ServerPlan plan,
            @Nullable ClusterDriverSource cluster,
            Ending ending,
            Consumer<StartException> failed) {
        HoldfastServer server;
        HttpFrontEndStarter http =
                plan.servesHttp()
                        ? new HttpFrontEndStarter(
                                plan.http(),
                                plan.server().tls(),
                                cluster == null ? null : cluster::view)
                        : null;
        List<HoldfastServer.FrontEndStarter> others = http == null ? List.of() : List.of(http);
        try {
            server = start(plan, others, cluster);
        } catch (StartException e) {
            failed.accept(e);
            return 1;
        }
        if (http != null) {
            http.addresses().forEach(ServerRun::logListening);
        }
        warnIfOpen(plan.server(), server.addresses());
        if (http != null) {
            for (HttpAddress address : http.addresses()) {
                warnIfOpen(address, plan.server().secret() != null);
            }
        }
        ending.started(
                server,
                plan.secrets() == null
                        ? null
                        : new SecretAndCertificateReload(
                                plan.secrets(), server, http == null ? null : http::reload));
        try {
            server.awaitEnd();
        } catch (InterruptedException e) {
            server.close();
        }
        if (cluster != null && !plan.server().timeouts().shutdown().isZero()) {
            cluster.limitClose(ending.left(plan.server().timeouts().shutdown()));
        }
        return 0;
    }

    private static HoldfastServer start(
            ServerPlan plan,
            List<HoldfastServer.FrontEndStarter> others,
            @Nullable ClusterDriverSource cluster)
            throws StartException {
        if (cluster != null) {
            return HoldfastServer.start(plan.server(), others, cluster);
        }
        return plan.restart() == null
                ? HoldfastServer.start(plan.server(), others)
                : HoldfastServer.start(plan.server(), others, plan.restart());
    }

    private static void logListening(HttpAddress address) {
        LOG.atInfo()
                .addKeyValue("addr", AddressFormat.join(address.host(), address.port()))
                .addKeyValue("protocol", address.tls() ? "https" : "http")
                .addKeyValue("transport", "nio")
                .log("listening");
    }

    static int configurationError(Exception e) {
        System.err.println("configuration error: " + e.getMessage());
        return 1;
    }

    private static void warnIfOpen(ServerConfig config, List<InetSocketAddress> addresses) {
        Iterator<InetSocketAddress> next = addresses.iterator();
        for (ListenEndpoint listenEndpoint : config.listeners()) {
            if (listenEndpoint.address() instanceof ListenAddress.Tcp) {
                warnIfOpen(listenEndpoint, next.next(), config.secret() != null);
            }
        }
        if (config.secret() != null) {
            config.listeners().stream()
                    .map(ListenEndpoint::protocol)
                    .filter(ServerProtocol::isUnauthenticated)
                    .map(ServerProtocol::name)
                    .distinct()
                    .forEach(
                            name ->
                                    LOG.warn(
                                            "--auth-token does not apply to {}, which has no"
                                                    + " authentication",
                                            name));
        }
    }

    private static void warnIfOpen(
            ListenEndpoint listenEndpoint, InetSocketAddress address, boolean secret) {
        if (address.getAddress().isLoopbackAddress()) {
            return;
        }
        if (listenEndpoint.protocol().isUnauthenticated()) {
            LOG.atWarn()
                    .addKeyValue("addr", AddressFormat.of(address))
                    .log(
                            "{} has no authentication and listens on a non-loopback address: any"
                                    + " client that can reach it can lock",
                            listenEndpoint.protocol().name());
        } else {
            warnIfOpen(AddressFormat.of(address), listenEndpoint.tls(), secret);
        }
    }

    private static void warnIfOpen(HttpAddress address, boolean secret) {
        boolean loopback;
        try {
            loopback = InetAddress.getByName(address.host()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return; // unlikely: the listener has just resolved it
        }
        if (!loopback) {
            warnIfOpen(AddressFormat.join(address.host(), address.port()), address.tls(), secret);
        }
    }

    private static void warnIfOpen(String address, boolean tls, boolean secret) {
        if (!tls || !secret) {
            LOG.atWarn()
                    .addKeyValue("addr", address)
                    .log(
                            "listening on a non-loopback address without {}",
                            tls ? "authentication" : secret ? "TLS" : "authentication and TLS");
        }
    }
}
