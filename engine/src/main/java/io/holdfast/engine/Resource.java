package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.function.Predicate;

/**
 * A key with its admission rule and its line of waiters. A new kind is a new rule, not a new line.
 */
abstract sealed class Resource extends Named permits Mutex, Semaphore, SharedLock {
    /** Who made the name; not part of the state that is written. */
    Ledger.@Nullable Client creator;

    /** Of all keys like this one. */
    final HeldTally tally;

    /** Fence of the grant since which somebody has held it; 0 if nobody does. */
    long heldSince;

    /**
     * Whether the name is remembered while nobody uses it. One that was only ever claimed is not.
     */
    boolean lasting;

    /** While it is, nothing is granted and the name is not forgotten. */
    boolean suspended;

    /** Those in line, whatever they wait for. */
    int waiters;

    /** A {@link Line}, but without an object of its own: there are many keys. */
    private @Nullable Wait first;

    private @Nullable Wait last;

    Resource(Key key, HeldTally tally) {
        super(key);
        this.tally = tally;
    }

    abstract Kind kind();

    abstract long limit();

    /** The admission rule: whether one more hold may be added now. */
    abstract boolean admits();

    /** The wait to be served now; null if there is none. */
    @Nullable Wait next() {
        return admits() ? firstInLine() : null;
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

    final @Nullable Wait firstInLine() {
        return first;
    }

    void append(Wait wait) {
        wait.ahead = last;
        if (last == null) {
            first = wait;
        } else {
            last.behind = wait;
        }
        last = wait;
        waiters++;
        tally.add(wait);
    }

    void remove(Wait wait) {
        Wait ahead = wait.ahead;
        Wait behind = wait.behind;
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
        wait.ahead = null;
        wait.behind = null;
        waiters--;
        tally.remove(wait);
    }

    /** Shows those who wait, in order of arrival, to one who says whether to go on. */
    void eachWait(Predicate<Wait> viewer) {
        Wait wait = firstInLine();
        while (wait != null && viewer.test(wait)) {
            wait = wait.behind;
        }
    }
}
