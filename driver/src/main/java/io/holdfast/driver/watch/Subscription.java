package io.holdfast.driver.watch;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** One who watches the feed. What it does not take in time it misses, and is told how much. */
public final class Subscription implements AutoCloseable {
    /** Keys may be long: what they take together is bounded too. */
    static final long MOST_BYTES = 1 << 20;

    private final Predicate<Happening> wanted;
    private final int most;
    private final Runnable wake;
    private final Consumer<Subscription> end;
    private final Queue<Happening> queue = new ArrayDeque<>();
    private long queuedBytes;
    private long missed;
    private boolean awake;

    Subscription(Predicate<Happening> wanted, int most, Runnable wake, Consumer<Subscription> end) {
        this.wanted = wanted;
        this.most = most;
        this.wake = wake;
        this.end = end;
    }

    /** Called where it happens, perhaps under a lock. */
    void offer(Happening happening) {
        if (!wanted.test(happening)) {
            return;
        }
        synchronized (this) {
            int bytes = bytesOf(happening);
            if (missed > 0 || queue.size() >= most || queuedBytes + bytes > MOST_BYTES) {
                missed++;
            } else {
                queue.add(happening);
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
    public synchronized @Nullable Happening poll() {
        Happening next = queue.poll();
        queuedBytes -= next == null ? 0 : bytesOf(next);
        if (next == null && missed > 0) {
            next = new Happening.Gap(missed);
            missed = 0;
        }
        awake = next != null;
        return next;
    }

    private static int bytesOf(Happening happening) {
        return happening instanceof Happening.OnKey on ? on.event().key().bytes().length : 0;
    }

    @Override
    public void close() {
        end.accept(this);
    }
}
