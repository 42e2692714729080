package io.holdfast.server.connection;

import io.holdfast.driver.Driver;
import io.holdfast.driver.monitor.ProtocolTraffic;
import io.holdfast.driver.monitor.ServerMonitor;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** State and settings shared by all connections of one protocol. */
public abstract class ConnectionService {
    final ProtocolTraits traits;

    protected final Driver driver;

    /** Limits the input of clients that connections keep in memory. */
    protected final InputBudget inputBudget;

    private final DrainState drainState;
    private final ServerMonitor serverMonitor;

    /** Counts bytes that connections of this protocol have read and written. */
    final ProtocolTraffic traffic;

    /** The number of open connections. */
    final AtomicInteger connections = new AtomicInteger();

    protected ConnectionService(ProtocolTraits traits, ServerContext server) {
        this.traits = traits;
        this.driver = server.driver();
        this.serverMonitor = server.serverMonitor();
        this.traffic = serverMonitor.traffic(traits.protocol());
        this.inputBudget = server.inputBudget();
        this.drainState = server.drainState();
    }

    /** The duration in nanoseconds, limited to the largest number of whole seconds that fits. */
    public static long nanos(Duration duration) {
        return duration.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L
                ? Long.MAX_VALUE / 1_000_000_000L * 1_000_000_000L
                : duration.toNanos();
    }

    /**
     * Records the time from a grant that another session caused until the connection processed it.
     */
    final void handedOff(long nanos) {
        serverMonitor.handedOff(nanos);
    }

    /** The counter of open connections, for front ends whose sessions count as connections. */
    public final AtomicInteger counted() {
        return connections;
    }

    /** The number of open connections. */
    protected final int connections() {
        return connections.get();
    }

    /**
     * Whether the server is shutting down: requests must not create holds, waiters, subscriptions
     * or data.
     */
    protected final boolean isDraining() {
        return drainState.isOn();
    }
}
