package io.holdfast.server.dflockd;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.Driver;
import io.holdfast.driver.Secret;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.signal.SignalServices;
import io.holdfast.server.connection.ByteBudget;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.DrainState;
import io.holdfast.server.connection.InputBudget;
import io.netty.util.internal.PlatformDependent;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Supplier;

/** What all dflockd connections of a server share. */
public final class DflockdService extends ConnectionService {
    private final SignalServices signals;
    final AuthFailures authFailures = new AuthFailures();

    /** What clients must send first; there is one from the start or never. */
    private volatile @Nullable Secret secret;

    final long defaultLeaseNanos;
    final long readTimeoutNanos;

    /** What a listener may leave unread before it is cut off. */
    final long maxPushBytes;

    /** Memory for lists that are being written. */
    final ByteBudget ranges = new ByteBudget(Runtime.getRuntime().maxMemory() / 8);

    private final TaggedSessions tagged;
    private final SessionGraces graces;
    final PushBudget pushBudget =
            new PushBudget(
                    Math.min(
                            Runtime.getRuntime().maxMemory() / 4,
                            PlatformDependent.maxDirectMemory() / 2));

    /**
     * @param newHub makes a hub for a namespace, unless the driver shares signals with others
     * @param secret what clients must send first, if anything
     * @param writeTimeout zero is no limit
     * @param graces how long sessions in tagged mode may outlive their connections
     * @param autoRelease whether the end of a session releases its holds
     * @param maxPushBytes what a listener may leave unread before it is cut off
     */
    public DflockdService(
            Driver driver,
            ServerMonitor serverMonitor,
            Supplier<SignalHub> newHub,
            InputBudget kept,
            DrainState drainState,
            @Nullable Secret secret,
            Duration defaultLease,
            Duration readTimeout,
            Duration writeTimeout,
            SessionGraces graces,
            boolean autoRelease,
            long maxPushBytes) {
        super("dflockd", driver, serverMonitor, kept, drainState, writeTimeout);
        this.signals = SignalServices.of(driver, newHub);
        this.secret = secret;
        this.defaultLeaseNanos = nanos(defaultLease);
        this.readTimeoutNanos = nanos(readTimeout);
        this.maxPushBytes = maxPushBytes;
        this.graces = graces;
        this.tagged = new TaggedSessions(driver, autoRelease);
    }

    /** Wrong secrets, which others that serve the same count too. */
    public AuthFailures authFailures() {
        return authFailures;
    }

    @Nullable Secret secret() {
        return secret;
    }

    /** What clients must send first from now on; there is a secret as before, or none as before. */
    public void changeSecret(@Nullable Secret next) {
        secret = next;
    }

    /** Where signals go. */
    public SignalServices signals() {
        return signals;
    }

    /** The sessions in tagged mode. */
    TaggedSessions tagged() {
        return tagged;
    }

    /** How long sessions in tagged mode may outlive their connections. */
    SessionGraces graces() {
        return graces;
    }

    /** Whether a session that may outlive its connection holds anything. */
    public boolean isAnyHeldWithGrace() {
        return tagged.isAnyHeldWithGrace();
    }

    /** Ends the sessions that wait for their connections; none does from now on. */
    public void close() {
        tagged.close();
    }

    Driver driver() {
        return driver;
    }

    int openConnections() {
        return connections();
    }

    boolean draining() {
        return isDraining();
    }
}
