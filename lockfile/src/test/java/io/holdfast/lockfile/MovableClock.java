package io.holdfast.lockfile;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A wall clock that moves only when told. */
final class MovableClock implements InstantSource {
    private volatile Instant now = Instant.ofEpochSecond(1_800_000_000L);

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
