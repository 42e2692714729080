package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * A key with its admission rule and its line of waiters. A new kind is a new rule, not a new line.
 */
abstract sealed class Resource extends Named permits Mutex, Semaphore, SharedLock {
    /** Of all keys like this one. */
    final HeldTally tally;

    /** Fence of the grant since which somebody has held it; 0 if nobody does. */
    long heldSince;

    /**
     * Whether the name is remembered while nobody uses it. One that was only ever claimed is not.
     */
    boolean lasting;

    @Nullable Wait firstInLine;
    @Nullable Wait lastInLine;
    int waiters;

    Resource(Key key, HeldTally tally) {
        super(key);
        this.tally = tally;
    }

    abstract Kind kind();

    abstract long limit();

    /** The admission rule: whether one more hold may be added now. */
    abstract boolean admits();

    abstract int holders();

    abstract @Nullable Hold find(long fence);

    /** What a session holds of it; the latest where it may hold several. */
    abstract @Nullable Hold holdOf(long session);

    abstract void add(Hold hold);

    abstract void remove(Hold hold);

    /** In order of grant. */
    abstract void forEachHold(Consumer<Hold> action);

    abstract @Nullable Hold firstHold();

    final boolean isUnused() {
        return waiters == 0 && holders() == 0;
    }

    final void append(Wait wait) {
        wait.ahead = lastInLine;
        if (lastInLine == null) {
            firstInLine = wait;
        } else {
            lastInLine.behind = wait;
        }
        lastInLine = wait;
        waiters++;
    }

    final void remove(Wait wait) {
        Wait ahead = wait.ahead;
        Wait behind = wait.behind;
        if (ahead == null) {
            firstInLine = behind;
        } else {
            ahead.behind = behind;
        }
        if (behind == null) {
            lastInLine = ahead;
        } else {
            behind.ahead = ahead;
        }
        wait.ahead = null;
        wait.behind = null;
        waiters--;
    }
}
