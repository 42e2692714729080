package io.holdfast.server.dflockd;

import io.holdfast.driver.AuthFailures;
import io.holdfast.driver.Driver;
import io.holdfast.driver.Secret;
import io.holdfast.engine.Namespace;
import io.holdfast.server.connection.ByteBudget;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.ProtocolTraits;
import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.connection.SessionGraces;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.ListenerBinder;
import io.holdfast.server.listener.RunningProtocol;
import io.holdfast.server.listener.StartException;
import io.netty.util.internal.PlatformDependent;

import org.jspecify.annotations.Nullable;

/** State and settings shared by all dflockd connections of a server. */
public final class DflockdService extends ConnectionService implements RunningProtocol {
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

    private final TaggedSessionRegistry tagged;
    private final SessionGraces graces;
    final PushBudget pushBudget =
            new PushBudget(
                    Math.min(
                            Runtime.getRuntime().maxMemory() / 4,
                            PlatformDependent.maxDirectMemory() / 2));

    DflockdService(ServerContext server) {
        super(
                new ProtocolTraits(
                        DflockdProtocol.NAME,
                        false,
                        server.readTimeout(),
                        true,
                        server.writeTimeout(),
                        false),
                server);
        this.secret = server.secret();
        this.defaultLeaseNanos = nanos(server.defaultLease());
        this.readTimeoutNanos = nanos(server.readTimeout());
        this.maxPushBytes = server.maxPushBytes();
        this.graces = server.graces();
        this.tagged = new TaggedSessionRegistry(driver, server.autoRelease());
    }

    @Override
    public void bind(ListenEndpoint endpoint, ListenerBinder binder) throws StartException {
        Namespace namespace = endpoint.options().namespace();
        binder.bind(
                endpoint, pipeline -> pipeline.addLast(DflockdHandler.connection(this, namespace)));
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
    TaggedSessionRegistry tagged() {
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
