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

/** Somebody connected to the server, straight to its driver. */
final class DashboardClient implements EffectMailbox, AutoCloseable {
    private final Driver driver;
    private final Session session;
    private final CountDownLatch answered = new CountDownLatch(1);
    private final AtomicLong requests = new AtomicLong();

    DashboardClient(Driver driver, String protocol, String name) {
        this.driver = driver;
        this.session = driver.open(this, new ClientInfo(protocol, () -> name));
    }

    long number() {
        return session.id();
    }

    /** Asks for a lock and waits in line for ever. */
    DashboardClient lock(String key, Duration lease) {
        return lock(bytes(key), lease.toNanos());
    }

    /** Asks for a lock without a lease. */
    DashboardClient lock(String key) {
        return lock(bytes(key), Command.FOREVER);
    }

    DashboardClient lock(byte[] key, long leaseNanos) {
        return acquire(ResourceKind.LOCK, key, 1, leaseNanos, Command.FOREVER);
    }

    /** Asks for a lock and waits in line so long. */
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

    /** Waits until what was asked first has been granted or has timed out. */
    boolean isAnswered() {
        try {
            return answered.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void add(Effect effect) {
        answered.countDown();
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
