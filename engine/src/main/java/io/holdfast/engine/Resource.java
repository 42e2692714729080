package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * A key with its admission rule and its line of waiters. A new kind is a new rule, not a new line.
 */
abstract sealed class Resource extends Named permits Mutex, Semaphore {
    @Nullable Wait firstInLine;
    @Nullable Wait lastInLine;
    int waiters;

    Resource(Key key) {
        super(key);
    }

    abstract Kind kind();

    abstract long limit();

    /** The admission rule: whether one more hold may be added now. */
    abstract boolean admits();

    abstract int holders();

    abstract @Nullable Hold find(long fence);

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
