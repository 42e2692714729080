package io.holdfast.server.dflockd;

import io.holdfast.driver.Driver;
import io.holdfast.engine.Namespace;
import io.holdfast.server.Secret;
import io.holdfast.server.ServerConfig;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What all dflockd connections of a server share. */
public final class DflockdService {
    final Driver driver;
    final Namespace namespace = Namespace.DEFAULT;
    final @Nullable Secret secret;
    final long defaultLeaseNanos;
    final long readTimeoutNanos;

    /** 0 is no limit. */
    final long writeTimeoutNanos;

    private volatile boolean draining;

    public DflockdService(Driver driver, ServerConfig config) {
        this.driver = driver;
        this.secret = config.secret();
        this.defaultLeaseNanos = nanos(config.defaultLease());
        this.readTimeoutNanos = nanos(config.readTimeout());
        this.writeTimeoutNanos = nanos(config.writeTimeout());
    }

    private static long nanos(Duration span) {
        return span.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L
                ? Long.MAX_VALUE / 1_000_000_000L * 1_000_000_000L
                : span.toNanos();
    }

    /** From now on no request may create a hold, a wait or data. */
    public void drain() {
        draining = true;
    }

    boolean isDraining() {
        return draining;
    }
}
