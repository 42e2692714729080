package io.holdfast.cli.serve;

import io.holdfast.driver.DriverSource;
import io.holdfast.http.HttpAddress;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.StartException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server in this process, started with the flags of one of the commands. */
public final class RunningServer implements AutoCloseable {
    private final ServerConfig config;
    private final HoldfastServer server;

    private final List<HttpAddress> http;
    private final @Nullable ClusterDriverSource cluster;

    private RunningServer(ServerConfig config, HoldfastServer server) {
        this.config = config;
        this.server = server;
        this.http = List.of();
        this.cluster = null;
    }

    private RunningServer(ServerConfig config, DriverChoice driverChoice) throws StartException {
        this(config, driverChoice.start(config));
    }

    private RunningServer(ServerPlan plan) throws StartException {
        this.config = plan.server();
        this.cluster = plan.cluster() == null ? null : new ClusterDriverSource(plan.cluster());
        HttpFrontEndStarter start =
                plan.servesHttp()
                        ? new HttpFrontEndStarter(
                                plan.http(), config.tls(), cluster == null ? null : cluster::view)
                        : null;
        List<HoldfastServer.FrontEndStarter> others = start == null ? List.of() : List.of(start);
        this.server =
                cluster == null
                        ? HoldfastServer.start(config, others)
                        : HoldfastServer.start(config, others, cluster);
        this.http = start == null ? List.of() : start.addresses();
    }

    /** Starts with options of {@code serve}, including the addresses. */
    public static RunningServer startServe(String... args) throws StartException {
        CommandLine line = ServeCommand.create(Map.of());
        line.parseArgs(args);
        ServeCommand command = line.getCommand();
        return new RunningServer(command.plan());
    }

    /** Starts with a given driver. */
    static RunningServer startOn(ServerConfig config, DriverSource source) throws StartException {
        return new RunningServer(config, HoldfastServer.start(config, List.of(), source));
    }

    /** Starts with flags of {@code dflockd}, on a free port. */
    public static RunningServer start(List<String> flags)
            throws GoFlags.FlagException, StartException {
        return start(flags, DriverChoice.LOCAL);
    }

    static RunningServer start(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        List<String> args = new ArrayList<>(List.of("--port", "0"));
        args.addAll(flags);
        return new RunningServer(
                DflockdCommand.plan(GoFlags.parse(args, DflockdCommand::isSwitch), Map.of())
                        .server(),
                driverChoice);
    }

    /** Starts with flags of {@code lockd}, including the addresses. */
    static RunningServer startLockd(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        return new RunningServer(LockdCommand.config(flags.toArray(String[]::new)), driverChoice);
    }

    /** Starts with flags of {@code socketlockd}, including the path. */
    static RunningServer startSocketlockd(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        return new RunningServer(SocketlockdCommand.config(flags), driverChoice);
    }

    public InetSocketAddress address() {
        return server.addresses().getFirst();
    }

    /** Returns the HTTP address. */
    public String url() {
        return http.getFirst().toString();
    }

    /**
     * Returns the address for a conversation.
     *
     * @param listener {@code unix}, as in a recording; otherwise the first listener with a port
     */
    SocketAddress address(String listener) {
        if (!listener.equals("unix")) {
            return address();
        }
        return config.listeners().stream()
                .map(ListenEndpoint::address)
                .filter(ListenAddress.Unix.class::isInstance)
                .map(
                        listenAddress ->
                                UnixDomainSocketAddress.of(
                                        ((ListenAddress.Unix) listenAddress).path()))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        server.close();
        if (cluster != null) {
            cluster.close();
        }
    }
}
