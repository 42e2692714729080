package io.holdfast.server.dflockd;

import io.holdfast.driver.Driver;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.engine.Namespace;
import io.holdfast.server.connection.Budget;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.Draining;
import io.holdfast.server.connection.KeptBytes;
import io.holdfast.server.connection.Secret;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/** What all dflockd connections of a server share. */
public final class DflockdService extends ConnectionService {
    private final Supplier<SignalHub> newHub;
    private final ConcurrentMap<Namespace, SignalHub> hubs = new ConcurrentHashMap<>();
    final @Nullable Secret secret;
    final long defaultLeaseNanos;
    final long readTimeoutNanos;

    /** What a listener may leave unread before it is cut off. */
    final long maxPushBytes;

    /** Memory for lists that are being written. */
    final Budget ranges = new Budget(Runtime.getRuntime().maxMemory() / 8);

    final PushBudget pushBudget = new PushBudget(Runtime.getRuntime().maxMemory() / 4);

    /**
     * @param newHub makes a hub for a namespace
     * @param secret what clients must send first, if anything
     * @param writeTimeout zero is no limit
     * @param maxPushBytes what a listener may leave unread before it is cut off
     */
    public DflockdService(
            Driver driver,
            Supplier<SignalHub> newHub,
            KeptBytes kept,
            Draining draining,
            @Nullable Secret secret,
            Duration defaultLease,
            Duration readTimeout,
            Duration writeTimeout,
            long maxPushBytes) {
        super(driver, kept, draining, writeTimeout);
        this.newHub = newHub;
        this.secret = secret;
        this.defaultLeaseNanos = nanos(defaultLease);
        this.readTimeoutNanos = nanos(readTimeout);
        this.maxPushBytes = maxPushBytes;
    }

    /** Where the signals of a namespace go. */
    SignalHub hub(Namespace namespace) {
        return hubs.computeIfAbsent(namespace, _ -> newHub.get());
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
