package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.function.Predicate;

/**
 * A key with its admission rule and its line of waiters. A new kind is a new rule, not a new line.
 */
abstract sealed class Resource extends KeyedState permits ReadWriteLock, Semaphore, SharedLock {
    /** Who made the name; not part of the state that is written. */
    Quotas.@Nullable Client creator;

    /** Of all keys like this one. */
    final UsageCounters usage;

    /** Fence of the grant since which somebody has held it; 0 if nobody does. */
    long heldSince;

    /**
     * Whether the name is remembered while nobody uses it. One that was only ever claimed is not.
     */
    boolean remembered;

    /** While it is, nothing is granted and the name is not forgotten. */
    boolean suspended;

    /** Those in line, whatever they wait for. */
    int waiters;

    /** A {@link WaiterQueue}, but without an object of its own: there are many keys. */
    private @Nullable Waiter first;

    private @Nullable Waiter last;

    Resource(Key key, UsageCounters tally) {
        super(key);
        this.usage = tally;
    }

    abstract ResourceKind kind();

    abstract long limit();

    /** The admission rule: whether one more hold may be added now. */
    abstract boolean admits();

    /** The wait to be served now; null if there is none. */
    @Nullable Waiter next() {
        return admits() ? firstWaiter() : null;
    }

    abstract int holders();

    abstract @Nullable Hold find(long fence);

    /** What a session holds of it; the latest where it may hold several. */
    abstract @Nullable Hold holdOf(long session);

    abstract void add(Hold hold);

    abstract void remove(Hold hold);

    /** In order of grant. */
    abstract Collection<Hold> holds();

    final @Nullable Hold firstHold() {
        Collection<Hold> holds = holds();
        return holds.isEmpty() ? null : holds.iterator().next();
    }

    final boolean isUnused() {
        return waiters == 0 && holders() == 0;
    }

    final @Nullable Waiter firstWaiter() {
        return first;
    }

    void append(Waiter waiter) {
        waiter.ahead = last;
        if (last == null) {
            first = waiter;
        } else {
            last.behind = waiter;
        }
        last = waiter;
        waiters++;
        usage.add(waiter);
    }

    void remove(Waiter waiter) {
        Waiter ahead = waiter.ahead;
        Waiter behind = waiter.behind;
        if (ahead == null) {
            first = behind;
        } else {
            ahead.behind = behind;
        }
        if (behind == null) {
            last = ahead;
        } else {
            behind.ahead = ahead;
        }
        waiter.ahead = null;
        waiter.behind = null;
        waiters--;
        usage.remove(waiter);
    }

    /** Shows those who wait, in order of arrival, to one who says whether to go on. */
    void eachWait(Predicate<Waiter> viewer) {
        Waiter waiter = firstWaiter();
        while (waiter != null && viewer.test(waiter)) {
            waiter = waiter.behind;
        }
    }
}
