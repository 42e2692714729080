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
 * A server in memory for tests, with a clock that moves only when told: leases, timeouts, renewals
 * and times to live go by it. It can all that a Holdfast server can, except {@link
 * Holdfast#openConnection}. A connection can be cut and brought back.
 *
 * <p>What somebody waits for in real life needs another thread here: an acquire with a timeout
 * returns when a lock is released, or when another thread moves the clock far enough. Callbacks run
 * on threads of their own; what moves the clock or cuts a connection returns after they have run,
 * unless they wait for something themselves.
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

    /** Another client of the same server. */
    public Holdfast client(String label) {
        return client(label, builder -> builder);
    }

    /**
     * Another client, with other settings: a grace, a listener, plain dflockd. Addresses, TLS and
     * tokens mean nothing here.
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

    /** Moves the clock; what is due on the way happens in order. */
    public void advance(Duration span) {
        clock.advance(SaturatedNanos.waiting(span), this::awaitCallbacks);
        awaitCallbacks();
    }

    /** What the clock shows; it starts anywhere. */
    public Duration now() {
        return Duration.ofNanos(clock.nanoTime());
    }

    /** Cuts the connection of a client. The server keeps its session for the grace. */
    public void disconnect(Holdfast client) {
        services(client).forEach(MemoryService::disconnect);
        awaitCallbacks();
    }

    /** Brings it back: with the old session within the grace, else with another. */
    public void reconnect(Holdfast client) {
        services(client).forEach(MemoryService::reconnect);
        awaitCallbacks();
    }

    /** The server forgets the client's session at once, and the connection comes back. */
    public void dropSession(Holdfast client) {
        services(client).forEach(MemoryService::dropSession);
        awaitCallbacks();
    }

    /**
     * Ends all holds of a key, as somebody does who knows their tokens.
     *
     * @return how many there were
     */
    public int releaseByToken(String key) {
        int count = server.releaseAll(ArgumentValidation.key(key));
        awaitCallbacks();
        return count;
    }

    /** How many holds and waits there are at the server; none if nothing was left behind. */
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
            throw new IllegalArgumentException("not a client of this fake");
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
