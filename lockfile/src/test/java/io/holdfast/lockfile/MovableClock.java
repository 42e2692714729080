package io.holdfast.lockfile;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A wall clock that is moved by the test. It starts at the modification time of new files. */
final class MovableClock implements InstantSource {
    private volatile Instant now = Instant.ofEpochSecond(Instant.now().getEpochSecond());

    @Override
    public Instant instant() {
        return now;
    }

    void move(Duration by) {
        now = now.plus(by);
    }

    long seconds() {
        return now.getEpochSecond();
    }
}
