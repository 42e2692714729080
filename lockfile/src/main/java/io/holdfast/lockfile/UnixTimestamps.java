package io.holdfast.lockfile;

import java.time.Instant;

/** Seconds since 1970, as lock files have them. */
final class UnixTimestamps {
    private UnixTimestamps() {}

    /** As people read it; the number itself where no calendar goes that far. */
    static String text(long seconds) {
        return seconds > Instant.MAX.getEpochSecond()
                ? "second " + seconds
                : Instant.ofEpochSecond(seconds).toString();
    }
}
