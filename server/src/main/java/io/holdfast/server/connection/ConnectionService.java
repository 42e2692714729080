package io.holdfast.server.connection;

import io.holdfast.driver.Driver;
import io.holdfast.driver.monitor.ProtocolTraffic;
import io.holdfast.driver.monitor.ServerMonitor;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** What all connections of one protocol share. */
public abstract class ConnectionService {
    /** What its connections speak. */
    final String protocol;

    protected final Driver driver;

    /** What connections keep in memory for clients. */
    protected final InputBudget inputBudget;

    private final DrainState drainState;
    private final ServerMonitor serverMonitor;

    /** What connections of this protocol have read and written. */
    final ProtocolTraffic traffic;

    /** 0 is no limit. */
    final long writeTimeoutNanos;

    /** How many are open. */
    final AtomicInteger connections = new AtomicInteger();

    /**
     * @param protocol what its connections speak
     * @param kept over the whole server
     * @param writeTimeout zero is no limit
     */
    protected ConnectionService(
            String protocol,
            Driver driver,
            ServerMonitor serverMonitor,
            InputBudget kept,
            DrainState drainState,
            Duration writeTimeout) {
        this.protocol = protocol;
        this.driver = driver;
        this.serverMonitor = serverMonitor;
        this.traffic = serverMonitor.traffic(protocol);
        this.inputBudget = kept;
        this.drainState = drainState;
        this.writeTimeoutNanos = nanos(writeTimeout);
    }

    /** A span as nanoseconds, at most as many as fit. */
    public static long nanos(Duration span) {
        return span.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L
                ? Long.MAX_VALUE / 1_000_000_000L * 1_000_000_000L
                : span.toNanos();
    }

    /** A connection has taken up a grant that another session's doing had brought it. */
    final void handedOff(long nanos) {
        serverMonitor.handedOff(nanos);
    }

    /** How many connections are open, for others that count as connections. */
    public final AtomicInteger counted() {
        return connections;
    }

    /** How many connections are open. */
    protected final int connections() {
        return connections.get();
    }

    /** Whether no request may create a hold, a wait, a subscription or data any more. */
    protected final boolean isDraining() {
        return drainState.isOn();
    }
}
