package io.holdfast.cli.options;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Spans of time as our own options take them: 5, 1.5, 500ms, 2s, 5m, 1h. No unit is seconds. */
public final class Durations {
    /** For usage errors: what a span looks like. */
    public static final String EXAMPLES = "seconds like 5 or 0.5, or 500ms, 2s, 5m, 1h";

    private static final Pattern SPAN =
            Pattern.compile("([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(|ms|s|m|h)");

    private static final Map<String, Long> NANOS =
            Map.of(
                    "", 1_000_000_000L,
                    "ms", 1_000_000L,
                    "s", 1_000_000_000L,
                    "m", 60_000_000_000L,
                    "h", 3_600_000_000_000L);

    private static final BigDecimal MAX_NANOS = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final int MAX_CHARS = 100;

    private Durations() {}

    /** Nothing if it is no such span. What is longer than 292 years counts as 292 years. */
    public static Optional<Duration> parse(String text) {
        Matcher span = SPAN.matcher(text);
        if (text.length() > MAX_CHARS || !span.matches()) {
            return Optional.empty();
        }
        long unit = NANOS.getOrDefault(span.group(2), 0L);
        BigDecimal nanos = new BigDecimal(span.group(1)).multiply(BigDecimal.valueOf(unit));
        // Rounded up: the least span that was asked for must not become none.
        return Optional.of(
                Duration.ofNanos(
                        nanos.min(MAX_NANOS).setScale(0, RoundingMode.CEILING).longValueExact()));
    }
}
