package io.holdfast.client.socketlock;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Brings events to the listener, in order and on a thread that nothing waits for. */
final class LockEventDispatcher {
    /** So many may wait for a slow listener; further ones are dropped. */
    static final int MAX_WAITING = 10_000;

    private static final Logger LOG = System.getLogger("io.holdfast.client.socketlock");

    private final LockEvent.Listener listener;
    private final AtomicLong dropped = new AtomicLong();
    private final @Nullable ThreadPoolExecutor thread;

    LockEventDispatcher(LockEvent.Listener listener) {
        this.listener = listener;
        this.thread = listener.equals(LockConfig.NOBODY) ? null : thread();
    }

    private ThreadPoolExecutor thread() {
        RejectedExecutionHandler drop = (event, executor) -> dropped.incrementAndGet();
        var executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        1,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(MAX_WAITING),
                        task -> {
                            var worker = new Thread(task, "holdfast-socketlock events");
                            worker.setDaemon(true);
                            return worker;
                        },
                        drop);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** How many were not delivered because the listener was too slow. */
    long dropped() {
        return dropped.get();
    }

    void add(LockEvent.Type type, String clientId) {
        add(type, clientId, "", null, Duration.ZERO, "");
    }

    void add(LockEvent.Type type, String clientId, String lockId, @Nullable LockMode mode) {
        add(type, clientId, lockId, mode, Duration.ZERO, "");
    }

    /** Ids have one character for each byte here. */
    void add(
            LockEvent.Type type,
            String clientId,
            String lockId,
            @Nullable LockMode mode,
            Duration ttl,
            String reason) {
        if (thread == null) {
            return;
        }
        Instant time = Instant.now();
        thread.execute(
                () ->
                        deliver(
                                new LockEvent(
                                        type,
                                        time,
                                        shown(clientId),
                                        shown(lockId),
                                        mode,
                                        ttl,
                                        reason)));
    }

    /** No more will be added; those added are still delivered. */
    void end() {
        if (thread != null) {
            thread.shutdown();
        }
        if (dropped() > 0) {
            LOG.log(Level.WARNING, "dropped {0} events: the listener is too slow", dropped());
        }
    }

    private void deliver(LockEvent event) {
        try {
            listener.happened(event);
        } catch (RuntimeException | Error e) { // the listener's own affair
            LOG.log(Level.WARNING, "A listener failed", e);
        }
    }

    private static String shown(String id) {
        return new String(id.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
