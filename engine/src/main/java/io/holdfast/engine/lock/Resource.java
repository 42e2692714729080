package io.holdfast.engine.lock;

import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.view.KeyedState;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.function.Predicate;

/**
 * A key with its admission rule and its queue of waiters. A new kind of resource adds an admission
 * rule and reuses the queue.
 */
abstract sealed class Resource extends KeyedState permits ReadWriteLock, Semaphore, SharedLock {
    /** The client that created the key; not part of the snapshot. */
    Quotas.@Nullable Client creator;

    /** The counters of the namespace and kind of this key. */
    final UsageCounters usage;

    /** Fence of the grant since which it has had holders without a gap; 0 if it has none. */
    long heldSince;

    /**
     * Whether the key is retained while it is unused. A transient key, which was only ever
     * try-acquired or requested as an offer, is not.
     */
    boolean retained;

    /** While true, nothing is granted and the key is not dropped. */
    boolean suspended;

    /** The number of waiters, readers and writers. */
    int waiters;

    /** The queue, inlined to save an object per key; compare {@link WaiterQueue}. */
    private @Nullable Waiter first;

    private @Nullable Waiter last;

    Resource(Key key, UsageCounters usage) {
        super(key);
        this.usage = usage;
    }

    /** Without the holds and waiters, which are records of their own. */
    @Override
    protected void hashFields(FieldHash out) {
        out.number(HashedRecords.RESOURCE).number(SnapshotTags.of(kind())).key(key);
        out.number(limit()).number(lastActivityNanos).flag(retained).flag(suspended);
        out.number(heldSince);
        hashDeadline(out);
    }

    abstract ResourceKind kind();

    abstract long limit();

    /** The admission rule: whether one more exclusive hold may be added now. */
    abstract boolean hasFreeSlot();

    /** Whether a new request would be granted without waiting. */
    boolean admits(ReadWriteMode readWriteMode) {
        return waiters == 0 && hasFreeSlot();
    }

    /** Prepares for a hold or a waiter in a mode. */
    void prepare(ReadWriteMode readWriteMode, EngineSettings engineSettings) {}

    /**
     * Whether readers and writers are in separate queues, so that a waiter that leaves may let
     * another one be granted.
     */
    boolean hasSeparateQueues() {
        return false;
    }

    /** The waiter to be granted or offered now; null if there is none. */
    @Nullable Waiter next() {
        return hasFreeSlot() ? firstWaiter() : null;
    }

    abstract int holders();

    abstract @Nullable Hold find(long fence);

    /** The hold of a session; the latest if it has several. */
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

    /** Visits the waiters in order of arrival until the visitor returns false. */
    void eachWait(Predicate<Waiter> visitor) {
        Waiter waiter = firstWaiter();
        while (waiter != null && visitor.test(waiter)) {
            waiter = waiter.behind;
        }
    }
}
