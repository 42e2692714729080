package io.holdfast.client;

import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.TimerClock;
import io.holdfast.client.internal.thread.SerialExecutor;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The state that all parts of a client share: services, executors, timeouts, open parts. */
final class ClientCore {
    /** The components of a client. */
    record Parts(
            List<LockService> services,
            ShardStrategy strategy,
            TimerClock clock,
            Executor callbacks,
            Executor tasks,
            Duration connectTimeout,
            Duration readTimeout,
            SerialExecutor listenerExecutor,
            List<ClientEventListener> listeners) {}

    /** Something that ends with the client. */
    interface Part {
        void clientClosed();
    }

    private static final long RELEASE_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

    private final Parts parts;
    private final Set<Part> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ClientCore(Parts parts) {
        this.parts = parts;
    }

    List<LockService> services() {
        return parts.services();
    }

    LockService serviceOf(String key) {
        int count = services().size();
        if (count == 1) {
            return services().get(0);
        }
        int shard = parts.strategy().shardOf(key, count);
        if (shard < 0 || shard >= count) {
            throw new IllegalStateException(
                    "the shard strategy returned " + shard + " for " + count + " shards");
        }
        return services().get(shard);
    }

    TimerClock clock() {
        return parts.clock();
    }

    long now() {
        return parts.clock().nanoTime();
    }

    Executor callbacks() {
        return parts.callbacks();
    }

    /** For tasks that run long or block. */
    Executor tasks() {
        return parts.tasks();
    }

    long readTimeoutNanos() {
        return SaturatedNanos.saturated(parts.readTimeout());
    }

    /** How long an uninterruptible wait for a response may take. */
    long responseTimeoutNanos() {
        return SaturatedNanos.saturated(parts.connectTimeout().plus(parts.readTimeout()));
    }

    /** How long {@code close()} of a hold waits for the response to the release. */
    long releaseTimeoutNanos() {
        return Math.min(RELEASE_TIMEOUT, readTimeoutNanos());
    }

    void notifyListeners(Consumer<ClientEventListener> event) {
        for (var listener : parts.listeners()) {
            parts.listenerExecutor().execute(() -> event.accept(listener));
        }
    }

    /** Registers a part that is closed together with the client; false if the client is closed. */
    boolean add(Part part) {
        open.add(part);
        if (closed) {
            open.remove(part);
            return false;
        }
        return true;
    }

    void remove(Part part) {
        open.remove(part);
    }

    boolean isClosed() {
        return closed;
    }

    void ensureOpen(String what) {
        if (closed) {
            throw ClientExceptions.closed(what);
        }
    }

    /** Closes all open parts; false if the client had been closed before. */
    boolean close() {
        synchronized (this) {
            if (closed) {
                return false;
            }
            closed = true;
        }
        for (var part : List.copyOf(open)) {
            open.remove(part);
            part.clientClosed();
        }
        return true;
    }

    /**
     * Waits uninterruptibly for up to {@code nanos}; null at the timeout. Restores the interrupt
     * flag at the end.
     */
    static <T> @Nullable ValueOrFailure<T> await(CompletableFuture<T> future, long nanos) {
        boolean interrupted = false;
        long end = System.nanoTime() + nanos;
        try {
            while (true) {
                try {
                    return new ValueOrFailure<>(
                            future.get(end - System.nanoTime(), TimeUnit.NANOSECONDS), null);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException | CancellationException e) {
                    return new ValueOrFailure<>(null, e);
                } catch (TimeoutException e) {
                    return null;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The outcome of a future: its value, or the exception that it completed with. */
    record ValueOrFailure<T>(@Nullable T value, @Nullable Exception failure) {}
}
