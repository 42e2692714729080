package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * A key with its admission rule and its line of waiters. A new kind is a new rule, not a new line.
 */
abstract sealed class Resource extends Deadline implements ResourceList.Node
        permits Mutex, Semaphore {
    final Key key;
    @Nullable Wait firstInLine;
    @Nullable Wait lastInLine;
    int waiters;
    long lastActivityNanos;

    private ResourceList.@Nullable Node listedBefore;
    private ResourceList.@Nullable Node listedAfter;

    Resource(Key key) {
        this.key = key;
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

    @Override
    public final ResourceList.@Nullable Node before() {
        return listedBefore;
    }

    @Override
    public final ResourceList.@Nullable Node after() {
        return listedAfter;
    }

    @Override
    public final void setBefore(ResourceList.@Nullable Node node) {
        listedBefore = node;
    }

    @Override
    public final void setAfter(ResourceList.@Nullable Node node) {
        listedAfter = node;
    }

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
