package io.holdfast.cli.serve;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses durations as Go programs do: 700ms, 2s, 1m30s, 1.5h, 0; a unit is required except for 0.
 */
final class GoDurations {
    private static final Pattern PART =
            Pattern.compile("([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)");

    private static final Map<String, Long> NANOS =
            Map.of(
                    "ns", 1L,
                    "us", 1_000L,
                    "µs", 1_000L,
                    "μs", 1_000L,
                    "ms", 1_000_000L,
                    "s", 1_000_000_000L,
                    "m", 60_000_000_000L,
                    "h", 3_600_000_000_000L);

    private static final int MAX_CHARS = 200;

    private GoDurations() {}

    /** Returns empty if the text is not a duration, or if its nanoseconds exceed 64 bits. */
    static Optional<Duration> parse(String text) {
        boolean negative = text.startsWith("-");
        String rest = negative || text.startsWith("+") ? text.substring(1) : text;
        if (rest.equals("0")) {
            return Optional.of(Duration.ZERO);
        }
        if (rest.isEmpty() || rest.length() > MAX_CHARS) {
            return Optional.empty();
        }
        BigInteger nanos = BigInteger.ZERO;
        Matcher part = PART.matcher(rest);
        int at = 0;
        while (at < rest.length()) {
            if (!part.find(at) || part.start() != at) {
                return Optional.empty();
            }
            long unit = NANOS.getOrDefault(part.group(2), 0L);
            nanos =
                    nanos.add(
                            new BigDecimal(part.group(1))
                                    .multiply(BigDecimal.valueOf(unit))
                                    .setScale(0, RoundingMode.DOWN)
                                    .toBigInteger());
            at = part.end();
        }
        BigInteger signed = negative ? nanos.negate() : nanos;
        return signed.bitLength() > 63
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(signed.longValueExact()));
    }
}
