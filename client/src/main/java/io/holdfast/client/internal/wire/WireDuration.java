package io.holdfast.client.internal.wire;

import java.util.concurrent.TimeUnit;

/** The durations of tagged mode: {@code 30} is seconds, {@code 250ms} milliseconds. */
final class WireDuration {
    /** The maximum duration on the wire. */
    static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(9_223_372_036L);

    private WireDuration() {}

    /**
     * Rounded up to a millisecond, so that timeouts and leases are never shorter than requested.
     */
    static String text(long nanos) {
        long millis = Math.min(nanos, MAX_NANOS) / 1_000_000;
        if (millis * 1_000_000 < Math.min(nanos, MAX_NANOS)) {
            millis++;
        }
        return millis % 1000 == 0 ? Long.toString(millis / 1000) : millis + "ms";
    }

    /** Parses a duration to nanoseconds. */
    static long parse(String text) throws BadLineException {
        boolean millis = text.endsWith("ms");
        String digits = millis ? text.substring(0, text.length() - 2) : text;
        if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new BadLineException("not a duration");
        }
        try {
            long number = Long.parseLong(digits);
            return (millis ? TimeUnit.MILLISECONDS : TimeUnit.SECONDS).toNanos(number);
        } catch (NumberFormatException e) {
            throw new BadLineException("not a duration");
        }
    }
}
