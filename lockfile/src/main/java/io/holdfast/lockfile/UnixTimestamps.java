package io.holdfast.lockfile;

import java.time.Instant;

/** Formats seconds since 1970, as lock files contain them. */
final class UnixTimestamps {
    private UnixTimestamps() {}

    /** As an ISO-8601 instant, or the number itself where it is beyond {@link Instant#MAX}. */
    static String text(long seconds) {
        return seconds > Instant.MAX.getEpochSecond()
                ? "second " + seconds
                : Instant.ofEpochSecond(seconds).toString();
    }
}
