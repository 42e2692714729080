package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** Waits in order of arrival. */
final class Line {
    @Nullable Wait first;
    @Nullable Wait last;

    void append(Wait wait) {
        wait.ahead = last;
        if (last == null) {
            first = wait;
        } else {
            last.behind = wait;
        }
        last = wait;
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
    }
}
