package io.holdfast.driver.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A subscription to the feed of events. If the subscriber is too slow, events are dropped and
 * replaced by a {@link ServerEvent.Gap} with their number.
 */
public final class EventSubscription implements AutoCloseable {
    /** Maximum size of the keys of all queued events, in bytes: keys may be long. */
    static final long MAX_BYTES = 1 << 20;

    private final Predicate<ServerEvent> filter;
    private final int maxQueued;
    private final Runnable wake;
    private final Consumer<EventSubscription> end;

    @GuardedBy("this")
    private final Queue<ServerEvent> queue = new ArrayDeque<>();

    @GuardedBy("this")
    private long queuedBytes;

    @GuardedBy("this")
    private long missed;

    @GuardedBy("this")
    private boolean awake;

    EventSubscription(
            Predicate<ServerEvent> filter,
            int maxQueued,
            Runnable wake,
            Consumer<EventSubscription> end) {
        this.filter = filter;
        this.maxQueued = maxQueued;
        this.wake = wake;
        this.end = end;
    }

    /**
     * Queues an event if it matches the filter. Called where the event happens, perhaps under a
     * lock.
     */
    void offer(ServerEvent serverEvent) {
        if (!filter.test(serverEvent)) {
            return;
        }
        synchronized (this) {
            int bytes = bytesOf(serverEvent);
            if (missed > 0 || queue.size() >= maxQueued || queuedBytes + bytes > MAX_BYTES) {
                missed++;
            } else {
                queue.add(serverEvent);
                queuedBytes += bytes;
            }
            if (awake) {
                return;
            }
            awake = true;
        }
        wake.run();
    }

    /**
     * The next event, in order; null if there is none. Only after null is {@code wake} called again
     * for the next event.
     */
    public synchronized @Nullable ServerEvent poll() {
        ServerEvent next = queue.poll();
        queuedBytes -= next == null ? 0 : bytesOf(next);
        if (next == null && missed > 0) {
            next = new ServerEvent.Gap(missed);
            missed = 0;
        }
        awake = next != null;
        return next;
    }

    private static int bytesOf(ServerEvent serverEvent) {
        return serverEvent instanceof ServerEvent.OnKey on ? on.event().key().bytes().length : 0;
    }

    @Override
    public void close() {
        end.accept(this);
    }
}
