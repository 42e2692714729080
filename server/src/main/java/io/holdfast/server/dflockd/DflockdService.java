package io.holdfast.server.dflockd;

import io.holdfast.driver.Driver;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.engine.Namespace;
import io.holdfast.server.connection.Secret;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** What all dflockd connections of a server share. */
public final class DflockdService {
    final Driver driver;
    final SignalHub hub;
    final Namespace namespace = Namespace.DEFAULT;
    final @Nullable Secret secret;
    final long defaultLeaseNanos;
    final long readTimeoutNanos;

    /** 0 is no limit. */
    final long writeTimeoutNanos;

    /** What a listener may leave unread before it is cut off. */
    final long maxPushBytes;

    /** Memory for lists that are being written. */
    final Budget ranges = new Budget(Runtime.getRuntime().maxMemory() / 8);

    final PushBudget pushBudget = new PushBudget(Runtime.getRuntime().maxMemory() / 4);

    /** What all connections together may keep of requests that are not complete. */
    private final long mostKeptBytes = Runtime.getRuntime().maxMemory() / 8;

    private final AtomicLong keptBytes = new AtomicLong();
    private volatile boolean draining;

    /**
     * @param secret what clients must send first, if anything
     * @param writeTimeout zero is no limit
     * @param maxPushBytes what a listener may leave unread before it is cut off
     */
    public DflockdService(
            Driver driver,
            SignalHub hub,
            @Nullable Secret secret,
            Duration defaultLease,
            Duration readTimeout,
            Duration writeTimeout,
            long maxPushBytes) {
        this.driver = driver;
        this.hub = hub;
        this.maxPushBytes = maxPushBytes;
        this.secret = secret;
        this.defaultLeaseNanos = nanos(defaultLease);
        this.readTimeoutNanos = nanos(readTimeout);
        this.writeTimeoutNanos = nanos(writeTimeout);
    }

    private static long nanos(Duration span) {
        return span.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L
                ? Long.MAX_VALUE / 1_000_000_000L * 1_000_000_000L
                : span.toNanos();
    }

    /** Counts bytes that a connection keeps, or no longer keeps; false if that is too much. */
    boolean keep(int bytes) {
        return bytes == 0 || keptBytes.addAndGet(bytes) <= mostKeptBytes || bytes < 0;
    }

    /** From now on no request may create a hold, a wait, a subscription or data. */
    public void drain() {
        draining = true;
    }

    boolean isDraining() {
        return draining;
    }
}
