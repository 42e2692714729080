package io.holdfast.engine.lock;

import org.jspecify.annotations.Nullable;

/** Waiters in order of arrival. */
final class WaiterQueue {
    @Nullable Waiter first;
    @Nullable Waiter last;

    void append(Waiter waiter) {
        waiter.ahead = last;
        if (last == null) {
            first = waiter;
        } else {
            last.behind = waiter;
        }
        last = waiter;
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
    }
}
