package io.holdfast.driver.watch;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** One who watches the feed. What it does not take in time it misses, and is told how much. */
public final class Subscription implements AutoCloseable {
    private final Predicate<Happening> wanted;
    private final int most;
    private final Runnable wake;
    private final Consumer<Subscription> end;
    private final Queue<Happening> queue = new ArrayDeque<>();
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
            if (missed > 0 || queue.size() >= most) {
                missed++;
            } else {
                queue.add(happening);
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
        if (next == null && missed > 0) {
            next = new Happening.Gap(missed);
            missed = 0;
        }
        awake = next != null;
        return next;
    }

    @Override
    public void close() {
        end.accept(this);
    }
}
