package io.holdfast.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.driver.memory.MemoryBudgets;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Decides whether memory is left for more state, so that a limit of 0 means as much as memory
 * allows. Memory is reserved before a piece of state is created and released when it is gone.
 *
 * <p>Each kind of state has a budget: a share of the heap, by estimated sizes. In addition, a kind
 * may grow only while the measured use of the heap is below the level of that kind, which is higher
 * for kinds that matter more. When values have used up their budget, locks still work; when keys
 * have, existing keys can still be locked.
 *
 * <p>How much of the heap is live is only known after a garbage collection, which is expensive. So
 * a kind reserves up to an allowance without measuring the heap; then the guard checks the used
 * heap, garbage included, and requests a collection only if that is too much and the live objects
 * alone may be too much.
 */
final class HeapGuard {
    private static final Logger LOG = LoggerFactory.getLogger(HeapGuard.class);

    /** The unit of {@link FixedSizeMemoryBudget}: more than a small piece of state needs. */
    private static final long UNIT_BYTES = 512;

    /** Between two checks a kind may reserve 1/16 of what is left. */
    private static final long ALLOWANCE_PARTS = 16;

    /** The minimum that a kind may reserve between two checks, in percent of the heap. */
    private static final long MIN_ALLOWANCE_PERCENT = 2;

    /**
     * A refused kind is accepted again when this percentage of the heap is left. Less than half the
     * smallest distance between two levels: otherwise a kind with a higher level could be refused
     * permanently.
     */
    private static final long RECOVERED_PERCENT = 1;

    /**
     * A change of the reserved bytes, in percent of the heap, after which the last collection is
     * out of date.
     */
    private static final long CHANGED_PERCENT = 5;

    /** Actual size of what was reserved, in percent of the estimate, at worst. */
    private static final long ACTUAL_SIZE_PERCENT = 125;

    /** Collections take at most 1/20 of the time, and there is at most one per second. */
    private static final long COLLECTION_PARTS = 20;

    private static final long MIN_COLLECTION_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The minimum interval between two log lines about one kind. */
    private static final long MIN_LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Interval of collections while the reserved bytes have hardly changed. */
    private static final long COLLECT_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long RECOVER_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long RECOVER_LITTLE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** The kinds of state and their limits in percent of the heap. */
    private enum Kind {
        DATA("values, counters and lists", 40, 60),
        SUBSCRIPTIONS("subscriptions", 20, 60),
        WAITERS("waiters", 25, 64),
        KEYS("keys of locks and semaphores", 45, 68),
        CONNECTIONS("connections", 40, 72),
        HOLDS("holds", 45, 78);

        final String label;

        /** Limit of this kind alone, by estimated sizes. */
        final int budgetPercent;

        /**
         * Limit of the measured use of the heap, by all kinds, above which this kind is refused.
         */
        final int levelPercent;

        Kind(String label, int budgetPercent, int levelPercent) {
            this.label = label;
            this.budgetPercent = budgetPercent;
            this.levelPercent = levelPercent;
        }
    }

    /** The heap and its garbage collector. */
    interface Heap {
        long maxBytes();

        long usedBytes();

        /** Collects garbage now. */
        void collect();

        static Heap ofThisProcess() {
            return new Heap() {
                @Override
                public long maxBytes() {
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
    private final long minAllowanceBytes;
    private final long recoveredBytes;
    private final long changedBytes;
    private final List<Budget> budgets = new ArrayList<>();
    private final Budget data;
    private final Budget subscriptions;
    private final Budget waiters;
    private final Budget keys;
    private final Budget connections;
    private final Budget holds;

    /** State of the last collection that the guard requested. */
    @GuardedBy("this")
    private boolean collected;

    @GuardedBy("this")
    private long liveBytes;

    @GuardedBy("this")
    private long reservedAtCollection;

    @GuardedBy("this")
    private long collectedNanos;

    /** Minimum time from the end of the last collection to the next one. */
    @GuardedBy("this")
    private long intervalNanos;

    HeapGuard() {
        this(Heap.ofThisProcess(), System::nanoTime);
    }

    HeapGuard(Heap heap, LongSupplier clock) {
        this.heap = heap;
        this.clock = clock;
        this.minAllowanceBytes = heap.maxBytes() / 100 * MIN_ALLOWANCE_PERCENT;
        this.recoveredBytes = heap.maxBytes() / 100 * RECOVERED_PERCENT;
        this.changedBytes = heap.maxBytes() / 100 * CHANGED_PERCENT;
        this.data = budget(Kind.DATA);
        this.subscriptions = budget(Kind.SUBSCRIPTIONS);
        this.waiters = budget(Kind.WAITERS);
        this.keys = budget(Kind.KEYS);
        this.connections = budget(Kind.CONNECTIONS);
        this.holds = budget(Kind.HOLDS);
    }

    private Budget budget(Kind kind) {
        Budget budget = new Budget(kind);
        budgets.add(budget);
        return budget;
    }

    MemoryBudgets state() {
        return new MemoryBudgets(keys, holds, waiters, data, subscriptions);
    }

    FixedSizeMemoryBudget connections() {
        return inUnits(connections);
    }

    private static FixedSizeMemoryBudget inUnits(MemoryBudget budget) {
        return new FixedSizeMemoryBudget() {
            @Override
            public boolean tryReserve() {
                return budget.tryReserve(UNIT_BYTES);
            }

            @Override
            public void release() {
                budget.release(UNIT_BYTES);
            }
        };
    }

    /** The budget of one kind of state. */
    private final class Budget implements MemoryBudget {
        private final Kind kind;
        private final long maxBytes;
        private final long levelBytes;
        private final AtomicLong reserved = new AtomicLong();

        /** Reserved bytes up to which the guard need not check again. */
        private volatile long allowance;

        /** Whether the last reservation was refused. */
        @GuardedBy("HeapGuard.this")
        private boolean full;

        /** The state that was logged last, and when. */
        @GuardedBy("HeapGuard.this")
        private boolean fullLogged;

        @GuardedBy("HeapGuard.this")
        private boolean logged;

        @GuardedBy("HeapGuard.this")
        private long loggedNanos;

        Budget(Kind kind) {
            this.kind = kind;
            this.maxBytes = heap.maxBytes() / 100 * kind.budgetPercent;
            this.levelBytes = heap.maxBytes() / 100 * kind.levelPercent;
        }

        @Override
        public boolean tryReserve(long bytes) {
            if (reserved.addAndGet(bytes) <= allowance || check()) {
                return true;
            }
            reserved.addAndGet(-bytes);
            return false;
        }

        @Override
        public void reserve(long bytes) {
            reserved.addAndGet(bytes);
        }

        @Override
        public void release(long bytes) {
            long max = reserved.addAndGet(-bytes) + minAllowanceBytes;
            if (allowance > max) {
                allowance = max; // other kinds may use it now; a lost race costs one check
            }
        }

        /** Whether the last reservation, which is already counted, is accepted. */
        private boolean check() {
            synchronized (HeapGuard.this) {
                long reservedBytes = reserved.get();
                if (reservedBytes <= allowance) {
                    return true; // another thread has checked meanwhile
                }
                long spare = full ? recoveredBytes : 0;
                long left = Math.min(maxBytes - reservedBytes, leftOnHeap(levelBytes, spare));
                full = left < 0 || (full && left < recoveredBytes);
                log(reservedBytes);
                if (full) {
                    return false;
                }
                allowance =
                        reservedBytes
                                + Math.min(
                                        left, Math.max(minAllowanceBytes, left / ALLOWANCE_PARTS));
                return true;
            }
        }

        @GuardedBy("HeapGuard.this")
        private void log(long reservedBytes) {
            long now = clock.getAsLong();
            if (full == fullLogged || (logged && now - loggedNanos < MIN_LOG_INTERVAL_NANOS)) {
                return;
            }
            fullLogged = full;
            logged = true;
            loggedNanos = now;
            if (full) {
                LOG.atWarn()
                        .addKeyValue("reserved_bytes", reservedBytes)
                        .addKeyValue("budget_bytes", maxBytes)
                        .addKeyValue("heap_used_bytes", heap.usedBytes())
                        .addKeyValue("heap_max_bytes", heap.maxBytes())
                        .log("memory limit reached, refusing new {}", kind.label);
            } else {
                LOG.info("memory is available again, accepting new {}", kind.label);
            }
        }
    }

    /**
     * How many more bytes may be live below a level; negative if there are too many.
     *
     * @param spareBytes how far below the level the used heap must be to be enough evidence
     */
    @GuardedBy("this")
    private long leftOnHeap(long levelBytes, long spareBytes) {
        long used = heap.usedBytes();
        if (used < levelBytes - spareBytes) {
            return levelBytes - used;
        }
        long reservedBytes = reservedBytes();
        if (collected && levelBytes - estimate(reservedBytes) >= minAllowanceBytes) {
            return levelBytes - estimate(reservedBytes); // much of the used heap must be garbage
        }
        if (mayCollect(reservedBytes)) {
            long begin = clock.getAsLong();
            heap.collect();
            used = heap.usedBytes();
            collected = true;
            collectedNanos = clock.getAsLong();
            intervalNanos =
                    Math.max(
                            MIN_COLLECTION_INTERVAL_NANOS,
                            COLLECTION_PARTS * (collectedNanos - begin));
            liveBytes = used;
            reservedAtCollection = reservedBytes;
        }
        long left = levelBytes - used;
        return left < minAllowanceBytes ? -1 : left;
    }

    /** Upper estimate of the live bytes. */
    @GuardedBy("this")
    private long estimate(long reservedBytes) {
        return liveBytes
                + Math.max(0, reservedBytes - reservedAtCollection) * ACTUAL_SIZE_PERCENT / 100;
    }

    /** A collection stops all threads: only if the last one is likely to be out of date. */
    @GuardedBy("this")
    private boolean mayCollect(long reservedBytes) {
        if (!collected) {
            return true;
        }
        long since = clock.getAsLong() - collectedNanos;
        if (since < intervalNanos) {
            return false;
        }
        long change = reservedBytes - reservedAtCollection;
        return since >= COLLECT_AGAIN_NANOS
                || Math.abs(change) >= changedBytes
                || change >= minAllowanceBytes
                || (change <= -minAllowanceBytes && since >= RECOVER_AGAIN_NANOS)
                || (change < 0 && since >= RECOVER_LITTLE_AGAIN_NANOS);
    }

    private long reservedBytes() {
        long sum = 0;
        for (Budget budget : budgets) {
            sum += budget.reserved.get();
        }
        return sum;
    }
}
