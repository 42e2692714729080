package io.holdfast.client.testing.internal;

import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest.Kind;
import io.holdfast.client.internal.service.GrantedHold.Loss;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceFeatures;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * An in-memory server for any number of {@link MemoryService}s. State changes under one monitor.
 * Callbacks are queued as effects during the change and run after it, in order and by one thread at
 * a time.
 */
public final class MemoryServer {
    private static final long DEFAULT_LEASE = 33_000_000_000L;
    private static final long IDLE_RETENTION = 60_000_000_000L;

    final MemoryClock clock;
    final MemorySignals signals = new MemorySignals();
    private final MemoryData data;
    private final Map<String, MemoryResource> locks = new TreeMap<>();
    private final Map<String, MemoryResource> semaphores = new TreeMap<>();
    private final List<MemoryService> services = new ArrayList<>();
    private final Queue<Runnable> effects = new ConcurrentLinkedQueue<>();
    private final ReentrantLock delivering = new ReentrantLock();
    private long fences;
    private long sessions;

    public MemoryServer(MemoryClock clock) {
        this.clock = clock;
        data = new MemoryData(clock);
    }

    /** Connects a client. */
    public MemoryService connect(
            String label, ServiceFeatures serviceFeatures, long graceNanos, ServiceEvents events) {
        return locked(
                () -> {
                    var service =
                            new MemoryService(this, label, serviceFeatures, graceNanos, events);
                    services.add(service);
                    effect(events::connected);
                    return service;
                });
    }

    /**
     * Ends all holds of the lock and of the semaphore with this key, as if another client had
     * released them with their tokens. Returns their number.
     */
    public int releaseAll(String key) {
        return locked(
                () -> {
                    var found = new ArrayList<MemoryHold>();
                    for (var slots : List.of(locks, semaphores)) {
                        var memoryResource = slots.get(key);
                        if (memoryResource != null) {
                            found.addAll(memoryResource.holders.values());
                        }
                    }
                    found.forEach(hold -> end(hold, Loss.RELEASED));
                    return found.size();
                });
    }

    /** The number of holds and waiters. */
    public int inUse() {
        return locked(
                () -> {
                    int count = 0;
                    for (var slots : List.of(locks, semaphores)) {
                        for (var memoryResource : slots.values()) {
                            count += memoryResource.holders.size() + memoryResource.queue.size();
                        }
                    }
                    return count;
                });
    }

    /** Runs all queued effects before it returns; does nothing when called from an effect. */
    public void deliverEffects() {
        if (!delivering.isHeldByCurrentThread()) {
            delivering.lock();
            try {
                drain();
            } finally {
                delivering.unlock();
            }
            deliver();
        }
    }

    <T extends @Nullable Object> T locked(Supplier<T> change) {
        T result;
        synchronized (this) {
            result = change.get();
        }
        deliver();
        return result;
    }

    void effect(Runnable effect) {
        effects.add(effect);
    }

    private void deliver() {
        while (!effects.isEmpty() && !delivering.isHeldByCurrentThread() && delivering.tryLock()) {
            try {
                drain();
            } finally {
                delivering.unlock();
            }
        }
    }

    private void drain() {
        for (var effect = effects.poll(); effect != null; effect = effects.poll()) {
            effect.run();
        }
    }

    long nextSession() {
        return ++sessions;
    }

    void acquire(MemoryAttempt attempt) {
        var what = attempt.what;
        var slots = what.kind() == Kind.SEMAPHORE ? semaphores : locks;
        removeIfIdle(slots, what.key());
        var memoryResource =
                slots.computeIfAbsent(
                        what.key(), key -> new MemoryResource(what.limit(), clock.nanoTime()));
        if (memoryResource.limit != what.limit()) {
            attempt.end(new AcquireOutcome.Failed(refused("error_limit_mismatch")));
        } else if (memoryResource.queue.isEmpty() && memoryResource.admits(what.kind())) {
            grant(memoryResource, attempt);
        } else if (what.waitNanos() == 0) {
            attempt.end(new AcquireOutcome.TimedOut());
        } else {
            memoryResource.queue.add(attempt);
        }
    }

    private void removeIfIdle(Map<String, MemoryResource> slots, String key) {
        var memoryResource = slots.get(key);
        if (memoryResource != null
                && memoryResource.isIdle()
                && clock.nanoTime() - memoryResource.idleSince > IDLE_RETENTION) {
            slots.remove(key);
        }
    }

    static ServiceException refused(String code) {
        return new ServiceException(
                ServiceException.Kind.REFUSED, "the server responded with " + code, code, null);
    }

    private void grant(MemoryResource memoryResource, MemoryAttempt attempt) {
        var hold = new MemoryHold(attempt, memoryResource, ++fences, attempt.service.session());
        memoryResource.holders.put(hold.token(), hold);
        startLease(hold, attempt.what.leaseNanos());
        attempt.service.granted(attempt, hold);
    }

    void startLease(MemoryHold hold, long leaseNanos) {
        hold.leaseNanos = leaseNanos == 0 ? DEFAULT_LEASE : leaseNanos;
        long now = clock.nanoTime();
        hold.deadline = now + hold.leaseNanos < now ? Long.MAX_VALUE : now + hold.leaseNanos;
        if (hold.expiry != null) {
            hold.expiry.cancel();
        }
        hold.expiry =
                clock.schedule(
                        hold.leaseNanos,
                        () ->
                                locked(
                                        () -> {
                                            end(hold, Loss.EXPIRED);
                                            return hold;
                                        }));
    }

    /** Removes the hold from its resource, notifies its owner, and grants the next waiters. */
    void end(MemoryHold hold, Loss reason) {
        if (hold.live) {
            hold.live = false;
            hold.ended = reason;
            if (hold.expiry != null) {
                hold.expiry.cancel();
            }
            hold.resource.holders.remove(hold.token());
            hold.service.ended(hold);
            grantWaiters(hold.resource);
        }
    }

    void leaveQueue(MemoryAttempt attempt) {
        var slots = attempt.what.kind() == Kind.SEMAPHORE ? semaphores : locks;
        var memoryResource = slots.get(attempt.what.key());
        if (memoryResource != null && memoryResource.queue.remove(attempt)) {
            grantWaiters(memoryResource);
        }
    }

    boolean isQueued(MemoryAttempt attempt) {
        var slots = attempt.what.kind() == Kind.SEMAPHORE ? semaphores : locks;
        var memoryResource = slots.get(attempt.what.key());
        return memoryResource != null && memoryResource.queue.contains(attempt);
    }

    private void grantWaiters(MemoryResource memoryResource) {
        for (var first = memoryResource.queue.peek();
                first != null && memoryResource.admits(first.what.kind());
                first = memoryResource.queue.peek()) {
            memoryResource.queue.remove();
            grant(memoryResource, first);
        }
        memoryResource.idleSince = clock.nanoTime();
    }

    void remove(MemoryService service) {
        services.remove(service);
    }

    String execute(String command, String key, String argument) {
        var response = data.execute(command, key, argument);
        if (response != null) {
            return response;
        }
        return switch (command) {
            case "signal" -> "ok " + signals.send(key, argument, this::effect);
            case "stats" -> "ok " + stats();
            case "info" -> "ok " + info(key);
            case "ping" -> "ok";
            default -> "error";
        };
    }

    private String info(String key) {
        var parts = new ArrayList<String>();
        appendState(locks.get(key), "mutex", "", parts);
        var semaphore = semaphores.get(key);
        appendState(
                semaphore,
                "semaphore",
                semaphore == null ? "" : "\"limit\":" + semaphore.limit + ",",
                parts);
        return "{" + String.join(",", parts) + "}";
    }

    private void appendState(
            @Nullable MemoryResource memoryResource,
            String name,
            String limit,
            List<String> parts) {
        if (memoryResource == null || memoryResource.isIdle()) {
            return;
        }
        var holders = new ArrayList<String>();
        for (var hold : memoryResource.holders.values()) {
            holders.add(
                    "{\"session\":%d,\"label\":%s,\"fence\":\"%d\",\"mode\":\"%s\",\"lease_ms\":%d}"
                            .formatted(
                                    hold.session,
                                    JsonStrings.quote(hold.session == 0 ? "" : hold.label),
                                    hold.fenceNumber(),
                                    hold.kind() == Kind.READ ? "read" : "write",
                                    (hold.deadline - clock.nanoTime()) / 1_000_000));
        }
        parts.add(
                "\"%s\":{%s\"holders\":[%s],\"held\":%d,\"waiters\":%d}"
                        .formatted(
                                name,
                                limit,
                                String.join(",", holders),
                                holders.size(),
                                memoryResource.queue.size()));
    }

    private String stats() {
        var mutexes = new ArrayList<String>();
        locks.forEach(
                (key, memoryResource) -> {
                    if (!memoryResource.isIdle()) {
                        var first = memoryResource.holders.values().stream().findFirst();
                        mutexes.add(
                                ("{\"key\":%s,\"owner_conn_id\":%d,\"lease_expires_in_s\":%s,"
                                                + "\"waiters\":%d}")
                                        .formatted(
                                                JsonStrings.quote(key),
                                                first.map(hold -> hold.session).orElse(0L),
                                                first.map(
                                                                hold ->
                                                                        (hold.deadline
                                                                                        - clock
                                                                                                .nanoTime())
                                                                                / 1e9)
                                                        .orElse(0.0),
                                                memoryResource.queue.size()));
                    }
                });
        var counted = new ArrayList<String>();
        semaphores.forEach(
                (key, memoryResource) -> {
                    if (!memoryResource.isIdle()) {
                        counted.add(
                                "{\"key\":%s,\"limit\":%d,\"holders\":%d,\"waiters\":%d}"
                                        .formatted(
                                                JsonStrings.quote(key),
                                                memoryResource.limit,
                                                memoryResource.holders.size(),
                                                memoryResource.queue.size()));
                    }
                });
        return "{\"connections\":%d,\"locks\":[%s],\"semaphores\":[%s]}"
                .formatted(
                        services.stream().filter(MemoryService::isConnected).count(),
                        String.join(",", mutexes),
                        String.join(",", counted));
    }
}
