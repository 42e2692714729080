package io.holdfast.socketlock;

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

/** Delivers events to the listener, in order, on a thread of its own. */
final class LockEventDispatcher {
    /** The maximum number of queued events; further ones are dropped. */
    static final int MAX_QUEUED = 10_000;

    private static final Logger LOG = System.getLogger("io.holdfast.socketlock");

    private final LockEvent.Listener listener;
    private final AtomicLong dropped = new AtomicLong();
    private final @Nullable ThreadPoolExecutor thread;

    LockEventDispatcher(LockEvent.Listener listener) {
        this.listener = listener;
        this.thread = listener.equals(LockConfig.NO_LISTENER) ? null : thread();
    }

    private ThreadPoolExecutor thread() {
        RejectedExecutionHandler drop = (event, executor) -> dropped.incrementAndGet();
        var executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        1,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(MAX_QUEUED),
                        task -> {
                            var worker = new Thread(task, "holdfast-socketlock events");
                            worker.setDaemon(true);
                            return worker;
                        },
                        drop);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** The number of events that were dropped because the listener was too slow. */
    long dropped() {
        return dropped.get();
    }

    void add(LockEvent.Type type, String clientId) {
        add(type, clientId, "", null, Duration.ZERO, "");
    }

    void add(LockEvent.Type type, String clientId, String lockId, @Nullable LockMode mode) {
        add(type, clientId, lockId, mode, Duration.ZERO, "");
    }

    /** Queues an event. In the ids, each character is one byte. */
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

    /** Accepts no more events; queued ones are still delivered. */
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
        } catch (RuntimeException | Error e) { // of the listener
            LOG.log(Level.WARNING, "listener threw an exception", e);
        }
    }

    private static String shown(String id) {
        return new String(id.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
