package io.holdfast.console.options;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in Holdfast's own options: 5, 1.5, 500ms, 2s, 5m, 1h. Without a unit, seconds. */
public final class Durations {
    /** The accepted forms, for usage errors. */
    public static final String EXAMPLES = "seconds like 5 or 0.5, or 500ms, 2s, 5m, 1h";

    private static final Pattern DURATION =
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

    /** Returns empty if the text is not a duration. Durations over 292 years become 292 years. */
    public static Optional<Duration> parse(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (text.length() > MAX_CHARS || !matcher.matches()) {
            return Optional.empty();
        }
        long unit = NANOS.getOrDefault(matcher.group(2), 0L);
        BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
        // Rounded up: a positive duration must not become zero.
        return Optional.of(
                Duration.ofNanos(
                        nanos.min(MAX_NANOS).setScale(0, RoundingMode.CEILING).longValueExact()));
    }
}
