package io.holdfast.cli.watch;

import java.util.Locale;
import java.util.OptionalDouble;

/** Formats durations. */
final class DurationFormatter {
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private DurationFormatter() {}

    /**
     * Returns a short text, with a precision that fits the size: 1.2s, 45s, 12m05s, 3h07m, 2d04h.
     */
    static String text(double seconds) {
        if (seconds < 10) {
            return String.format(Locale.ROOT, "%.1fs", Math.max(0, seconds));
        }
        long whole = (long) seconds;
        if (whole < MINUTE) {
            return whole + "s";
        }
        if (whole < HOUR) {
            return pair(whole, MINUTE, "m", 1, "s");
        }
        return whole < DAY ? pair(whole, HOUR, "h", MINUTE, "m") : pair(whole, DAY, "d", HOUR, "h");
    }

    private static String pair(long seconds, long unit, String name, long part, String partName) {
        return String.format(
                Locale.ROOT, "%d%s%02d%s", seconds / unit, name, seconds % unit / part, partName);
    }

    /** The same, or a dash if there is no value. */
    static String text(OptionalDouble seconds) {
        return seconds.isPresent() ? text(seconds.getAsDouble()) : "-";
    }
}
