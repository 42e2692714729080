package io.holdfast.verification.soak;

import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Prints lines that start with the time of day, to the microsecond. */
final class TimestampedPrinter {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS", Locale.ROOT);

    private final PrintWriter out;

    TimestampedPrinter(PrintWriter out) {
        this.out = out;
    }

    void print(String text) {
        plain(TIME.format(LocalTime.now(ZoneId.systemDefault())) + " " + text);
    }

    /** Prints a line without the time. */
    void plain(String text) {
        out.println(text);
        out.flush();
    }
}
