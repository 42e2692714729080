package io.holdfast.server.dflockd;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.Driver;
import io.holdfast.driver.Secret;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.server.connection.ByteBudget;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.DrainState;
import io.holdfast.server.connection.InputBudget;
import io.holdfast.server.connection.ProtocolTraits;
import io.netty.util.internal.PlatformDependent;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** State and settings shared by all dflockd connections of a server. */
public final class DflockdService extends ConnectionService {
    final AuthFailures authFailures = new AuthFailures();

    /**
     * The secret that clients must send first; it can change, but not between null and a secret.
     */
    private volatile @Nullable Secret secret;

    final long defaultLeaseNanos;
    final long readTimeoutNanos;

    /** Bytes that a listener may leave unread before it is disconnected. */
    final long maxPushBytes;

    /** Limits the memory of lists that are being written. */
    final ByteBudget ranges = new ByteBudget(Runtime.getRuntime().maxMemory() / 8);

    private final TaggedSessions tagged;
    private final SessionGraces graces;
    final PushBudget pushBudget =
            new PushBudget(
                    Math.min(
                            Runtime.getRuntime().maxMemory() / 4,
                            PlatformDependent.maxDirectMemory() / 2));

    /**
     * @param secret the secret that clients must send first; null for no authentication
     * @param writeTimeout zero is no limit
     * @param graces how long sessions in tagged mode may outlive their connections
     * @param autoRelease whether the end of a session releases its holds
     * @param maxPushBytes bytes that a listener may leave unread before it is disconnected
     */
    public DflockdService(
            Driver driver,
            ServerMonitor serverMonitor,
            InputBudget inputBudget,
            DrainState drainState,
            @Nullable Secret secret,
            Duration defaultLease,
            Duration readTimeout,
            Duration writeTimeout,
            SessionGraces graces,
            boolean autoRelease,
            long maxPushBytes) {
        super(
                new ProtocolTraits("dflockd", false, readTimeout, true, writeTimeout, false),
                driver,
                serverMonitor,
                inputBudget,
                drainState);
        this.secret = secret;
        this.defaultLeaseNanos = nanos(defaultLease);
        this.readTimeoutNanos = nanos(readTimeout);
        this.maxPushBytes = maxPushBytes;
        this.graces = graces;
        this.tagged = new TaggedSessions(driver, autoRelease);
    }

    /** Counts wrong secrets; shared with other front ends. */
    public AuthFailures authFailures() {
        return authFailures;
    }

    @Nullable Secret secret() {
        return secret;
    }

    /**
     * Changes the secret that new connections must send; null if and only if there was none before.
     */
    public void changeSecret(@Nullable Secret next) {
        secret = next;
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

    /** Ends all sessions in tagged mode; from now on none outlives its connection. */
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
