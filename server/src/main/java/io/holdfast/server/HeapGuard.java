package io.holdfast.server;

import io.holdfast.driver.Room;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Tells whether memory is left for more state, so that a limit of 0 means as much as memory allows.
 * Asked before each piece of state is made, and told when one is gone.
 *
 * <p>How much of the heap is live is only known after a collection, which is dear. So the guard
 * counts what was made and not given back since it last looked, at a generous size each, and looks
 * again only when that sum has used up what was left: first at what is used, garbage included, and
 * only if that is too much by asking for a collection. Only what a collection leaves makes it full.
 */
final class HeapGuard implements Room {
    private static final Logger LOG = LoggerFactory.getLogger(HeapGuard.class);

    /** More than a key, a hold or a wait needs. */
    private static final long BYTES_EACH = 512;

    private static final int TIGHT_PERCENT = 80;

    /** What is planned with reaches a little further, so that looks stay apart. */
    private static final int PLANNED_PERCENT = 85;

    /** However much is given back, it looks again when so many times what was planned is taken. */
    private static final long LOOK_AFTER_PLANS = 4;

    /** Pieces that only connections may have: enough for some hundred. */
    private static final long CONNECTION_RESERVE = 2048;

    private static final long RECOVER_AGAIN_NANOS = 5_000_000_000L;

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
    private final long tightBytes;
    private final long plannedBytes;
    private final AtomicLong credit = new AtomicLong();

    /** Pieces taken since the last look, whether given back or not. */
    private final AtomicLong taken = new AtomicLong();

    private volatile long planned;
    private volatile long mostTaken;
    private volatile boolean full;
    private long collectedNanos;

    HeapGuard() {
        this(Heap.ofThisProcess(), System::nanoTime);
    }

    HeapGuard(Heap heap, LongSupplier clock) {
        this.heap = heap;
        this.clock = clock;
        this.tightBytes = heap.mostBytes() / 100 * TIGHT_PERCENT;
        this.plannedBytes = heap.mostBytes() / 100 * PLANNED_PERCENT;
    }

    @Override
    public boolean take() {
        if (full) {
            return recovers();
        }
        boolean isPlanned = credit.decrementAndGet() >= 0 && taken.incrementAndGet() <= mostTaken;
        return isPlanned || measure();
    }

    /** What is given back may be smaller than what is taken next: never more than was planned. */
    @Override
    public void giveBack() {
        if (credit.get() < planned) {
            credit.incrementAndGet();
        }
    }

    private synchronized boolean measure() {
        if (full || (credit.get() > 0 && taken.get() < mostTaken)) {
            return !full; // another thread looked meanwhile
        }
        if (isTight()) {
            collect(); // what it leaves below the line lasts for many pieces
            if (isTight()) {
                full = true;
                LOG.atWarn()
                        .addKeyValue("used_bytes", heap.usedBytes())
                        .addKeyValue("most_bytes", heap.mostBytes())
                        .log("memory is short, refusing new locks, data and subscriptions");
            }
        }
        if (!full) {
            plan();
        }
        return !full;
    }

    private synchronized boolean recovers() {
        if (full && isTight()) {
            if (clock.getAsLong() - collectedNanos < RECOVER_AGAIN_NANOS) {
                return false;
            }
            collect();
            if (isTight()) {
                return false;
            }
        }
        if (full) {
            full = false;
            LOG.info("memory is free again");
        }
        plan();
        return true;
    }

    /**
     * Room for connections, which goes a little further: when locks and data have filled the
     * memory, somebody must be able to connect and remove them.
     */
    Room forConnections() {
        return new Room() {
            private final AtomicLong reserve = new AtomicLong(CONNECTION_RESERVE);

            @Override
            public boolean take() {
                if (HeapGuard.this.take()) {
                    return true;
                }
                return reserve.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
            }

            @Override
            public void giveBack() {
                if (reserve.getAndUpdate(left -> Math.min(CONNECTION_RESERVE, left + 1))
                        == CONNECTION_RESERVE) {
                    HeapGuard.this.giveBack();
                }
            }
        };
    }

    private boolean isTight() {
        return heap.usedBytes() >= tightBytes;
    }

    private void plan() {
        planned = Math.max(0, plannedBytes - heap.usedBytes()) / BYTES_EACH;
        mostTaken = LOOK_AFTER_PLANS * planned;
        taken.set(0);
        credit.set(planned);
    }

    private void collect() {
        heap.collect();
        collectedNanos = clock.getAsLong();
    }
}
