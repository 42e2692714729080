package io.holdfast.server;

import io.holdfast.driver.FixedSizeMemoryBudget;
import io.holdfast.driver.MemoryBudget;
import io.holdfast.driver.MemoryBudgets;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Says whether memory is left for more state, so that a limit of 0 means as much as memory allows.
 * It is asked before each piece of state is made, and is informed when one is gone.
 *
 * <p>Each kind of state has a budget: a share of the heap, by estimated sizes. All kinds together
 * are kept below a level of the heap that is measured, and that is higher for kinds that matter
 * more. When values have filled what they may, locks still work; when names have, names that exist
 * can still be locked.
 *
 * <p>How much of the heap is live is only known after a collection, which is dear. So a kind takes
 * what it may without a look at the heap; then the guard looks at what is used, garbage included,
 * and only if that is too much and may be true of live objects too, asks for a collection.
 */
final class HeapGuard {
    private static final Logger LOG = LoggerFactory.getLogger(HeapGuard.class);

    /** What {@link FixedSizeMemoryBudget} counts in: more than a small piece of state needs. */
    private static final long PIECE_BYTES = 512;

    /** Between two looks a kind may take one part in so many of what is left. */
    private static final long PARTS = 16;

    /** But so much of the heap at least; less is as good as nothing. */
    private static final long LEAST_PERCENT = 2;

    /**
     * A kind that was refused gets more when so much is left. Less than half the smallest distance
     * between two levels: otherwise a kind whose level allows more could be refused for ever.
     */
    private static final long RECOVERED_PERCENT = 1;

    /** After such a change the last collection is out of date. */
    private static final long CHANGED_PERCENT = 5;

    /** What was counted may be larger in truth. */
    private static final long TRUE_PERCENT = 125;

    /** Collections take at most one part in so many of the time, and one is made a second. */
    private static final long COLLECTION_PARTS = 20;

    private static final long LEAST_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The log says so often that a kind is refused, or no longer, however often that changes. */
    private static final long LOG_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** While nothing seems to have changed, it is measured again after so long. */
    private static final long COLLECT_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long RECOVER_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long RECOVER_LITTLE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** What a part of the state may use, in percent of the heap. */
    private enum Kind {
        DATA("values, counters and lists", 40, 60),
        SUBSCRIPTIONS("subscriptions", 20, 60),
        WAITS("waiters", 25, 64),
        NAMES("names of locks", 45, 68),
        CONNECTIONS("connections", 40, 72),
        HOLDS("holds", 45, 78);

        final String label;

        /** Of this kind alone, by estimated sizes. */
        final int budgetPercent;

        /** Of everything that lives, as measured. */
        final int levelPercent;

        Kind(String label, int budgetPercent, int levelPercent) {
            this.label = label;
            this.budgetPercent = budgetPercent;
            this.levelPercent = levelPercent;
        }
    }

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
    private final long leastBytes;
    private final long recoveredBytes;
    private final long changedBytes;
    private final List<Budget> budgets = new ArrayList<>();
    private final Budget data;
    private final Budget subscriptions;
    private final Budget waits;
    private final Budget names;
    private final Budget connections;
    private final Budget holds;

    /** Of the last collection that the guard asked for; guarded by this. */
    private boolean collected;

    private long liveBytes;
    private long countedAtCollection;
    private long collectedNanos;

    /** When the next collection may be made at the earliest, from the end of the last one. */
    private long intervalNanos;

    HeapGuard() {
        this(Heap.ofThisProcess(), System::nanoTime);
    }

    HeapGuard(Heap heap, LongSupplier clock) {
        this.heap = heap;
        this.clock = clock;
        this.leastBytes = heap.mostBytes() / 100 * LEAST_PERCENT;
        this.recoveredBytes = heap.mostBytes() / 100 * RECOVERED_PERCENT;
        this.changedBytes = heap.mostBytes() / 100 * CHANGED_PERCENT;
        this.data = budget(Kind.DATA);
        this.subscriptions = budget(Kind.SUBSCRIPTIONS);
        this.waits = budget(Kind.WAITS);
        this.names = budget(Kind.NAMES);
        this.connections = budget(Kind.CONNECTIONS);
        this.holds = budget(Kind.HOLDS);
    }

    private Budget budget(Kind kind) {
        Budget budget = new Budget(kind);
        budgets.add(budget);
        return budget;
    }

    MemoryBudgets state() {
        return new MemoryBudgets(names, holds, waits, data, subscriptions);
    }

    FixedSizeMemoryBudget connections() {
        return inPieces(connections);
    }

    FixedSizeMemoryBudget subscriptions() {
        return inPieces(subscriptions);
    }

    private static FixedSizeMemoryBudget inPieces(MemoryBudget budget) {
        return new FixedSizeMemoryBudget() {
            @Override
            public boolean tryReserve() {
                return budget.tryReserve(PIECE_BYTES);
            }

            @Override
            public void release() {
                budget.release(PIECE_BYTES);
            }
        };
    }

    /** Of one kind of state. */
    private final class Budget implements MemoryBudget {
        private final Kind kind;
        private final long mostBytes;
        private final long levelBytes;
        private final AtomicLong taken = new AtomicLong();

        /** What may be taken before the guard looks again. */
        private volatile long free;

        /** Whether the last one that asked was refused; guarded by the guard. */
        private boolean full;

        /** What the log said last, and when; guarded by the guard. */
        private boolean fullLogged;

        private boolean logged;
        private long loggedNanos;

        Budget(Kind kind) {
            this.kind = kind;
            this.mostBytes = heap.mostBytes() / 100 * kind.budgetPercent;
            this.levelBytes = heap.mostBytes() / 100 * kind.levelPercent;
        }

        @Override
        public boolean tryReserve(long bytes) {
            if (taken.addAndGet(bytes) <= free || look(this)) {
                return true;
            }
            taken.addAndGet(-bytes);
            return false;
        }

        @Override
        public void reserve(long bytes) {
            taken.addAndGet(bytes);
        }

        @Override
        public void release(long bytes) {
            long most = taken.addAndGet(-bytes) + leastBytes;
            if (free > most) {
                free = most; // others may have it now; a lost race costs one look
            }
        }
    }

    /** Whether what was taken last, and is counted already, may be. */
    private synchronized boolean look(Budget budget) {
        long taken = budget.taken.get();
        if (taken <= budget.free) {
            return true; // another thread looked meanwhile
        }
        long left = Math.min(budget.mostBytes - taken, leftOnHeap(budget));
        budget.full = left < 0 || (budget.full && left < recoveredBytes);
        log(budget, taken);
        if (budget.full) {
            return false;
        }
        budget.free = taken + Math.min(left, Math.max(leastBytes, left / PARTS));
        return true;
    }

    private void log(Budget budget, long taken) {
        long now = clock.getAsLong();
        if (budget.full == budget.fullLogged
                || (budget.logged && now - budget.loggedNanos < LOG_AGAIN_NANOS)) {
            return;
        }
        budget.fullLogged = budget.full;
        budget.logged = true;
        budget.loggedNanos = now;
        if (budget.full) {
            LOG.atWarn()
                    .addKeyValue("taken_bytes", taken)
                    .addKeyValue("budget_bytes", budget.mostBytes)
                    .addKeyValue("heap_used_bytes", heap.usedBytes())
                    .addKeyValue("heap_max_bytes", heap.mostBytes())
                    .log("memory is short, refusing new {}", budget.kind.label);
        } else {
            LOG.info("memory is free again for {}", budget.kind.label);
        }
    }

    /** How much more may live before a kind has to stop; negative if it must stop now. */
    private long leftOnHeap(Budget budget) {
        long used = heap.usedBytes();
        if (used < budget.levelBytes - (budget.full ? recoveredBytes : 0)) {
            return budget.levelBytes - used;
        }
        long counted = counted();
        if (collected && budget.levelBytes - estimate(counted) >= leastBytes) {
            return budget.levelBytes - estimate(counted); // most of what is used must be garbage
        }
        if (mayCollect(counted)) {
            long begin = clock.getAsLong();
            heap.collect();
            used = heap.usedBytes();
            collected = true;
            collectedNanos = clock.getAsLong();
            intervalNanos =
                    Math.max(LEAST_INTERVAL_NANOS, COLLECTION_PARTS * (collectedNanos - begin));
            liveBytes = used;
            countedAtCollection = counted;
        }
        long left = budget.levelBytes - used;
        return left < leastBytes ? -1 : left;
    }

    /** Live bytes, rather too many than too few. */
    private long estimate(long counted) {
        return liveBytes + Math.max(0, counted - countedAtCollection) * TRUE_PERCENT / 100;
    }

    /** A collection stops everybody: it has to be likely that the last one is out of date. */
    private boolean mayCollect(long counted) {
        if (!collected) {
            return true;
        }
        long since = clock.getAsLong() - collectedNanos;
        if (since < intervalNanos) {
            return false;
        }
        long change = counted - countedAtCollection;
        return since >= COLLECT_AGAIN_NANOS
                || Math.abs(change) >= changedBytes
                || change >= leastBytes
                || (change <= -leastBytes && since >= RECOVER_AGAIN_NANOS)
                || (change < 0 && since >= RECOVER_LITTLE_AGAIN_NANOS);
    }

    private long counted() {
        long sum = 0;
        for (Budget budget : budgets) {
            sum += budget.taken.get();
        }
        return sum;
    }
}
