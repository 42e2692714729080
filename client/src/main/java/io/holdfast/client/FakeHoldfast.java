package io.holdfast.client;

import io.holdfast.client.memory.MemoryClock;
import io.holdfast.client.memory.MemoryServer;
import io.holdfast.client.memory.MemoryService;
import io.holdfast.client.service.ServiceFeatures;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    private final List<RemoteHoldfast> clients = new ArrayList<>();

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
        var daemonThreads = new DaemonThreads();
        var client =
                settings.apply(new HoldfastBuilder().address("memory:6388").label(label))
                        .connect(
                                (config, events, timerClock) ->
                                        server.connect(
                                                config.label(),
                                                config.plain()
                                                        ? ServiceFeatures.PLAIN
                                                        : ServiceFeatures.ALL,
                                                config.grace().toNanos(),
                                                events),
                                clock,
                                callbacks,
                                daemonThreads,
                                daemonThreads::close);
        synchronized (clients) {
            clients.add(client);
        }
        awaitCallbacks();
        return client;
    }

    /** Advances the clock; timers that become due run in the order of their times. */
    public void advance(Duration duration) {
        clock.advance(SaturatedNanos.waiting(duration), this::awaitCallbacks);
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
        int count = server.releaseAll(ArgumentValidation.key(key));
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
        if (!(client instanceof RemoteHoldfast remote) || !isOurs(remote)) {
            throw new IllegalArgumentException("not a client of this FakeHoldfast");
        }
        return remote.services().stream().map(MemoryService.class::cast).toList();
    }

    private boolean isOurs(RemoteHoldfast client) {
        synchronized (clients) {
            return clients.contains(client);
        }
    }

    /** Closes all clients. */
    @Override
    public void close() {
        List<RemoteHoldfast> all;
        synchronized (clients) {
            all = List.copyOf(clients);
        }
        all.forEach(RemoteHoldfast::close);
        awaitCallbacks();
    }
}
