package io.holdfast.client.wire;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/** {@code ok <token> <lease>} as a value, and whole seconds as the server wants them. */
record GrantLine(String token, long leaseNanos) {
    /** The most that the server takes. */
    static final long MAX_SECONDS = 9_223_372_036L;

    /** Null if it says anything else. */
    static @Nullable GrantLine parse(String answer) {
        String[] words = answer.split(" ", -1);
        if (words.length != 3 || !words[0].equals("ok") || words[1].isEmpty()) {
            return null;
        }
        long lease = nanos(words[2]);
        return lease < 0 ? null : new GrantLine(words[1], lease);
    }

    /** The answer to a renewal, {@code ok <seconds>}, in nanoseconds; -1 if it is none. */
    static long renewed(String answer) {
        return answer.startsWith("ok ") ? nanos(answer.substring(3)) : -1;
    }

    private static long nanos(String seconds) {
        try {
            return TimeUnit.SECONDS.toNanos(Long.parseLong(seconds));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Rounded up: nobody waits or holds for less than was asked for. */
    static long seconds(long nanos) {
        long whole = TimeUnit.NANOSECONDS.toSeconds(nanos);
        return Math.min(MAX_SECONDS, whole * 1_000_000_000L < nanos ? whole + 1 : whole);
    }

    /** The end of an argument: nothing for the server's default. */
    static String lease(long nanos) {
        return nanos == 0 ? "" : " " + seconds(nanos);
    }

    @Override
    public String toString() {
        return "grant";
    }
}
