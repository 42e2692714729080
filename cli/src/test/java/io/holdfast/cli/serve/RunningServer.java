package io.holdfast.cli.serve;

import io.holdfast.driver.DriverSource;
import io.holdfast.http.HttpAddress;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ListenAddress;
import io.holdfast.server.ListenEndpoint;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.StartException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server in this process, started with the flags of a drop-in. */
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
                plan.http() == null
                        ? null
                        : new HttpFrontEndStarter(
                                plan.http(), cluster == null ? null : cluster::view);
        List<HoldfastServer.FrontEndStarter> others = start == null ? List.of() : List.of(start);
        this.server =
                cluster == null
                        ? HoldfastServer.start(config, others)
                        : HoldfastServer.start(config, others, cluster);
        this.http = start == null ? List.of() : start.addresses();
    }

    /** With the options of {@code serve}, which say where. */
    public static RunningServer startServe(String... words) throws StartException {
        CommandLine line = ServeCommand.create(Map.of());
        line.parseArgs(words);
        ServeCommand command = line.getCommand();
        return new RunningServer(command.plan());
    }

    /** With a driver from elsewhere. */
    static RunningServer startOn(ServerConfig config, DriverSource source) throws StartException {
        return new RunningServer(config, HoldfastServer.start(config, List.of(), source));
    }

    /** With the flags of {@code dflockd}, on a port of its own. */
    public static RunningServer start(List<String> flags)
            throws GoFlags.FlagException, StartException {
        return start(flags, DriverChoice.LOCAL);
    }

    static RunningServer start(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        List<String> words = new ArrayList<>(List.of("--port", "0"));
        words.addAll(flags);
        return new RunningServer(
                DflockdCommand.plan(GoFlags.parse(words, DflockdCommand::isSwitch), Map.of())
                        .server(),
                driverChoice);
    }

    /** With the flags of {@code lockd}, which say where. */
    static RunningServer startLockd(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        return new RunningServer(LockdCommand.config(flags.toArray(String[]::new)), driverChoice);
    }

    /** With the flags of {@code socketlockd}, which say where. */
    static RunningServer startSocketlockd(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        return new RunningServer(SocketlockdCommand.config(flags), driverChoice);
    }

    public InetSocketAddress address() {
        return server.addresses().getFirst();
    }

    /** Where it answers HTTP. */
    public String url() {
        return http.getFirst().toString();
    }

    /**
     * Where a conversation takes place.
     *
     * @param listener as a recording names it: {@code unix}, or else the first that has a port
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
