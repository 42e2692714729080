package io.holdfast.verification.soak;

import io.holdfast.verification.bench.LineServer;
import io.holdfast.verification.bench.LineServer.Request;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Locks and semaphores in strict order of arrival, as a rule for a {@link LineServer}. Leases never
 * expire, because no test holds a lock that long. Guarded by its own monitor.
 */
class CorrectLocks implements LineServer.Rule {
    private static final class Waiter {
        final int connection;
        @Nullable String token;

        Waiter(int connection) {
            this.connection = connection;
        }
    }

    private static final class Resource {
        final int limit;
        final Map<String, Integer> holders = new LinkedHashMap<>();
        final Deque<Waiter> queue = new ArrayDeque<>();
        final Map<Integer, Waiter> enqueued = new HashMap<>();

        Resource(int limit) {
            this.limit = limit;
        }
    }

    private final Map<String, Resource> locks = new LinkedHashMap<>();
    private final Map<String, Resource> semaphores = new LinkedHashMap<>();
    private long fence = 0x1800_0000_0000_0000L;

    /** The token of the next grant; called with the monitor held. */
    String nextToken() {
        fence++;
        return String.format(Locale.ROOT, "%016x%016x", fence, fence * 0x9E37_79B9_7F4A_7C15L);
    }

    @Override
    public synchronized @Nullable String answer(Request request) throws InterruptedException {
        var arguments = request.argument().split(" ", -1);
        var key = request.key();
        return switch (request.command()) {
            case "l" -> acquire(request, lock(key), seconds(arguments[0]), arguments[1]);
            case "sl" ->
                    acquire(
                            request,
                            semaphore(key, arguments[1]),
                            seconds(arguments[0]),
                            arguments[2]);
            case "r" -> release(lock(key), request.argument());
            case "sr" -> release(semaphore(key, "3"), request.argument());
            case "n" ->
                    lock(key).holders.containsKey(arguments[0]) ? "ok " + arguments[1] : "error";
            case "e" -> enqueue(request, lock(key), request.argument());
            case "w" -> await(request, lock(key), seconds(request.argument()));
            default -> "error";
        };
    }

    @Override
    public synchronized void ended(int connection) {
        for (var all : List.of(locks, semaphores)) {
            for (var resource : all.values()) {
                resource.queue.removeIf(waiter -> waiter.connection == connection);
                resource.enqueued.remove(connection);
                resource.holders.values().removeIf(holder -> holder == connection);
                grant(resource);
            }
        }
    }

    private Resource lock(String key) {
        return locks.computeIfAbsent(key, _ -> new Resource(1));
    }

    private Resource semaphore(String key, String limit) {
        return semaphores.computeIfAbsent(key, _ -> new Resource(Integer.parseInt(limit)));
    }

    private String acquire(Request request, Resource resource, long nanos, String lease)
            throws InterruptedException {
        var waiter = addWaiter(request, resource);
        return blockFor(waiter, resource, nanos, lease);
    }

    private String enqueue(Request request, Resource resource, String lease) {
        var waiter = addWaiter(request, resource);
        if (waiter.token != null) {
            return "acquired " + waiter.token + " " + lease;
        }
        resource.enqueued.put(request.connection(), waiter);
        return "queued";
    }

    private String await(Request request, Resource resource, long nanos)
            throws InterruptedException {
        var waiter = resource.enqueued.remove(request.connection());
        return waiter == null ? "error_not_enqueued" : blockFor(waiter, resource, nanos, "10");
    }

    private Waiter addWaiter(Request request, Resource resource) {
        var waiter = new Waiter(request.connection());
        resource.queue.add(waiter);
        grant(resource);
        return waiter;
    }

    private String blockFor(Waiter waiter, Resource resource, long nanos, String lease)
            throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        while (waiter.token == null) {
            long remaining = deadline - System.nanoTime();
            if (remaining <= 0 || !resource.queue.contains(waiter)) {
                resource.queue.remove(waiter);
                return "timeout";
            }
            TimeUnit.NANOSECONDS.timedWait(this, remaining);
        }
        return "ok " + waiter.token + " " + lease;
    }

    private String release(Resource resource, String token) {
        if (resource.holders.remove(token) == null) {
            return "error";
        }
        grant(resource);
        return "ok";
    }

    private void grant(Resource resource) {
        while (resource.holders.size() < resource.limit && !resource.queue.isEmpty()) {
            var waiter = resource.queue.remove();
            waiter.token = nextToken();
            resource.holders.put(waiter.token, waiter.connection);
        }
        notifyAll();
    }

    /** In the form of the statistics. */
    synchronized String busyLocks() {
        return busy(locks);
    }

    /** In the form of the statistics. */
    synchronized String busySemaphores() {
        return busy(semaphores);
    }

    private static String busy(Map<String, Resource> all) {
        var entries = new ArrayList<String>();
        all.forEach(
                (key, resource) -> {
                    if (!resource.holders.isEmpty() || !resource.queue.isEmpty()) {
                        entries.add("{\"key\":\"" + key + "\",\"waiters\":0}");
                    }
                });
        return "[" + String.join(",", entries) + "]";
    }

    private static long seconds(String text) {
        return TimeUnit.SECONDS.toNanos(Long.parseLong(text));
    }
}
