package io.holdfast.server;

import io.holdfast.driver.Room;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Tells whether memory is left for more state, so that a limit of 0 means as much as memory allows.
 * Asked before each piece of state is made.
 *
 * <p>How much of the heap is live is only known after a collection, which is dear. So the guard
 * counts what was made and not given back since it last knew, at a generous size each, and measures
 * again only when that sum nears the end: first by looking at what is used, garbage included, and
 * only if that is too much by asking for a collection.
 */
final class HeapGuard implements Room {
    /** More than one key with its hold, or one wait, or one connection needs. */
    private static final long BYTES_EACH = 1024;

    private static final long RETRY_NANOS = 5_000_000_000L;

    /** The heap as the guard sees it. */
    interface Heap {
        long mostBytes();

        long usedBytes();

        /** Collects garbage now. */
        void collect();

        static Heap ofThisProcess() {
            return new Heap() {
                @Override
                public long mostBytes() {
                    return Runtime.getRuntime().maxMemory();
                }

                @Override
                public long usedBytes() {
                    Runtime runtime = Runtime.getRuntime();
                    return runtime.totalMemory() - runtime.freeMemory();
                }

                @Override
                public void collect() {
                    System.gc();
                }
            };
        }
    }

    private final Heap heap;
    private final LongSupplier clock;
    private final long fullBytes;
    private final AtomicLong credit = new AtomicLong();
    private volatile boolean full;
    private long measuredNanos;

    HeapGuard() {
        this(Heap.ofThisProcess(), System::nanoTime);
    }

    HeapGuard(Heap heap, LongSupplier clock) {
        this.heap = heap;
        this.clock = clock;
        this.fullBytes = heap.mostBytes() / 100 * 80;
    }

    @Override
    public boolean take() {
        if (full) {
            return recovers();
        }
        return credit.decrementAndGet() >= 0 || measure();
    }

    @Override
    public void giveBack() {
        credit.incrementAndGet();
    }

    private synchronized boolean measure() {
        if (full || credit.get() > 0) {
            return !full; // another thread measured meanwhile
        }
        if (heap.usedBytes() >= fullBytes) {
            heap.collect();
            measuredNanos = clock.getAsLong();
        }
        return judge();
    }

    private synchronized boolean recovers() {
        if (full && heap.usedBytes() >= fullBytes) {
            long now = clock.getAsLong();
            if (now - measuredNanos < RETRY_NANOS) {
                return false;
            }
            heap.collect();
            measuredNanos = clock.getAsLong();
        }
        return judge();
    }

    private boolean judge() {
        long left = (fullBytes - heap.usedBytes()) / BYTES_EACH;
        full = left <= 0;
        // Never trust one measurement for the whole rest: other things use memory too.
        credit.set(Math.max(0, left / 2));
        return !full;
    }
}
