package io.holdfast.client.testing;

import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastBuilder;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceFeatures;
import io.holdfast.client.testing.internal.MemoryClock;
import io.holdfast.client.testing.internal.MemoryServer;
import io.holdfast.client.testing.internal.MemoryService;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * An in-memory server for tests, with a manual clock: leases, timeouts, renewals and TTLs use it,
 * and it moves only by {@link #advance}. It supports everything that a Holdfast server does, except
 * {@link Holdfast#openConnection}. Connections can be cut and restored.
 *
 * <p>A blocking call needs another thread, as with a real server: an acquire with a timeout returns
 * when the lock is released or when another thread advances the clock far enough. Callbacks run on
 * their own threads; methods that advance the clock or cut a connection return after the callbacks
 * have run, or when these are blocked.
 *
 * {@snippet :
 * FakeHoldfast fake = new FakeHoldfast();
 * Holdfast alice = fake.client("alice");
 * Holdfast bob = fake.client("bob");
 * alice.lock("k").lease(Duration.ofSeconds(30)).renew(false).acquire(Duration.ofSeconds(1));
 * System.out.println(bob.lock("k").tryAcquire().isPresent()); // false
 * fake.advance(Duration.ofSeconds(30));
 * System.out.println(bob.lock("k").tryAcquire().isPresent()); // true
 * }
 */
public final class FakeHoldfast implements AutoCloseable {
    private final MemoryClock clock = new MemoryClock();
    private final MemoryServer server = new MemoryServer(clock);
    private final FakeCallbackExecutor callbacks = new FakeCallbackExecutor();
    private final Map<Holdfast, List<MemoryService>> services = new LinkedHashMap<>();

    public FakeHoldfast() {}

    /** Connects another client to the same server. */
    public Holdfast client(String label) {
        return client(label, builder -> builder);
    }

    /**
     * Connects another client with other settings, such as a grace period, a listener or plain
     * dflockd. Addresses, TLS and auth tokens are ignored.
     */
    public Holdfast client(String label, UnaryOperator<HoldfastBuilder> settings) {
        var opened = new ArrayList<MemoryService>();
        var client =
                settings.apply(Holdfast.builder().address("memory:6388").label(label))
                        .connect(
                                (config, events, timerClock) -> {
                                    var service = open(config, events);
                                    opened.add(service);
                                    return service;
                                },
                                clock,
                                callbacks);
        synchronized (services) {
            services.put(client, List.copyOf(opened));
        }
        awaitCallbacks();
        return client;
    }

    private MemoryService open(ServiceConfig config, ServiceEvents events) {
        return server.connect(
                config.label(),
                config.plain() ? ServiceFeatures.PLAIN : ServiceFeatures.ALL,
                config.grace().toNanos(),
                events);
    }

    /** Advances the clock; timers that become due run in the order of their times. */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration must not be negative but is " + duration);
        }
        clock.advance(duration.toNanos(), this::awaitCallbacks);
        awaitCallbacks();
    }

    /** The time of the clock, which starts at an arbitrary value. */
    public Duration now() {
        return Duration.ofNanos(clock.nanoTime());
    }

    /** Cuts the connection of a client. The server keeps its session for the grace period. */
    public void disconnect(Holdfast client) {
        services(client).forEach(MemoryService::disconnect);
        awaitCallbacks();
    }

    /**
     * Restores the connection of a client: with its session within the grace period, otherwise with
     * a new one.
     */
    public void reconnect(Holdfast client) {
        services(client).forEach(MemoryService::reconnect);
        awaitCallbacks();
    }

    /**
     * Ends the client's session at the server at once, and reconnects the client with a new
     * session.
     */
    public void dropSession(Holdfast client) {
        services(client).forEach(MemoryService::dropSession);
        awaitCallbacks();
    }

    /**
     * Releases all holds of a key, as another client could that has their tokens.
     *
     * @return the number of holds that were released
     */
    public int releaseByToken(String key) {
        int count = server.releaseAll(key);
        awaitCallbacks();
        return count;
    }

    /** The number of holds and waiters at the server; 0 if no client leaked any. */
    public int inUse() {
        return server.inUse();
    }

    private void awaitCallbacks() {
        server.deliverEffects();
        callbacks.awaitQuiet();
        server.deliverEffects();
    }

    private List<MemoryService> services(Holdfast client) {
        synchronized (services) {
            var ofClient = services.get(client);
            if (ofClient == null) {
                throw new IllegalArgumentException("not a client of this FakeHoldfast");
            }
            return ofClient;
        }
    }

    /** Closes all clients. */
    @Override
    public void close() {
        List<Holdfast> all;
        synchronized (services) {
            all = List.copyOf(services.keySet());
        }
        all.forEach(Holdfast::close);
        awaitCallbacks();
    }
}
