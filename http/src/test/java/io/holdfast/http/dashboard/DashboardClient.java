package io.holdfast.http.dashboard;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A client that is connected directly to the driver. */
final class DashboardClient implements EffectMailbox, AutoCloseable {
    private final Driver driver;
    private final Session session;
    private final CountDownLatch firstEffect = new CountDownLatch(1);
    private final AtomicLong requests = new AtomicLong();

    DashboardClient(Driver driver, String protocol, String name) {
        this.driver = driver;
        this.session = driver.open(this, new ClientInfo(protocol, () -> name));
    }

    long number() {
        return session.id();
    }

    /** Acquires a lock without a timeout. */
    DashboardClient lock(String key, Duration lease) {
        return lock(bytes(key), lease.toNanos());
    }

    /** Acquires a lock without a lease and without a timeout. */
    DashboardClient lock(String key) {
        return lock(bytes(key), Command.FOREVER);
    }

    DashboardClient lock(byte[] key, long leaseNanos) {
        return acquire(ResourceKind.LOCK, key, 1, leaseNanos, Command.FOREVER);
    }

    /** Acquires a lock with a timeout. */
    DashboardClient lockWithin(String key, Duration wait) {
        return acquire(
                ResourceKind.LOCK, bytes(key), 1, Duration.ofSeconds(30).toNanos(), wait.toNanos());
    }

    DashboardClient slot(String key, int limit, Duration lease) {
        return acquire(ResourceKind.SEMAPHORE, bytes(key), limit, lease.toNanos(), Command.FOREVER);
    }

    DashboardClient share(String key) {
        session.submit(
                new Command.TryAcquire(
                        number(),
                        requests.incrementAndGet(),
                        ResourceKind.SHARED,
                        Key.of(Namespace.DEFAULT, bytes(key)),
                        driver.salt()));
        return this;
    }

    private DashboardClient acquire(
            ResourceKind resourceKind, byte[] key, int limit, long leaseNanos, long waitNanos) {
        session.submit(
                new Command.Acquire(
                        number(),
                        requests.incrementAndGet(),
                        resourceKind,
                        Key.of(Namespace.DEFAULT, key),
                        limit,
                        waitNanos,
                        leaseNanos,
                        driver.salt()));
        return this;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Waits until the first request has been granted or has timed out. */
    boolean isAnswered() {
        try {
            return firstEffect.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void add(Effect effect) {
        firstEffect.countDown();
    }

    @Override
    public void wake() {}

    @Override
    public boolean kick() {
        close();
        return true;
    }

    @Override
    public void close() {
        session.close(requests.get());
    }
}
