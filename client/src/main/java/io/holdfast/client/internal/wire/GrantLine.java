package io.holdfast.client.internal.wire;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/** The parsed response {@code ok <token> <lease>}, and the conversion of times to whole seconds. */
record GrantLine(String token, long leaseNanos) {
    /** The maximum that the server accepts. */
    static final long MAX_SECONDS = 9_223_372_036L;

    /** Null if the response is not a grant. */
    static @Nullable GrantLine parse(String response) {
        String[] fields = response.split(" ", -1);
        if (fields.length != 3 || !fields[0].equals("ok") || fields[1].isEmpty()) {
            return null;
        }
        long lease = nanos(fields[2]);
        return lease < 0 ? null : new GrantLine(fields[1], lease);
    }

    /**
     * The lease in nanoseconds from the response to a renewal, {@code ok <seconds>}; -1 if it is
     * not of that form.
     */
    static long renewed(String response) {
        return response.startsWith("ok ") ? nanos(response.substring(3)) : -1;
    }

    private static long nanos(String seconds) {
        try {
            return TimeUnit.SECONDS.toNanos(Long.parseLong(seconds));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Rounded up, so that timeouts and leases are never shorter than requested. */
    static long seconds(long nanos) {
        long whole = TimeUnit.NANOSECONDS.toSeconds(nanos);
        return Math.min(MAX_SECONDS, whole * 1_000_000_000L < nanos ? whole + 1 : whole);
    }

    /** The lease field of an argument, with its leading space; empty for the server's default. */
    static String lease(long nanos) {
        return nanos == 0 ? "" : " " + seconds(nanos);
    }

    @Override
    public String toString() {
        return "grant";
    }
}
