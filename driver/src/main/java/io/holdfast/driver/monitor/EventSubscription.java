package io.holdfast.driver.monitor;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** One who watches the feed. What it does not take in time it misses, and is told how much. */
public final class EventSubscription implements AutoCloseable {
    /** Keys may be long: what they take together is bounded too. */
    static final long MAX_BYTES = 1 << 20;

    private final Predicate<ServerEvent> filter;
    private final int maxQueued;
    private final Runnable wake;
    private final Consumer<EventSubscription> end;
    private final Queue<ServerEvent> queue = new ArrayDeque<>();
    private long queuedBytes;
    private long missed;
    private boolean awake;

    EventSubscription(
            Predicate<ServerEvent> wanted,
            int most,
            Runnable wake,
            Consumer<EventSubscription> end) {
        this.filter = wanted;
        this.maxQueued = most;
        this.wake = wake;
        this.end = end;
    }

    /** Called where it happens, perhaps under a lock. */
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
     * The next, in order; null when there is none for now. Then, and only then, {@code wake} is
     * called again for the one after.
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
