package io.holdfast.driver.config;

import java.time.Duration;

/**
 * Checks that a value is in the range of its setting. The messages name the setting as on the
 * command line.
 */
public final class SettingRange {
    /** The longest duration, in seconds, whose nanoseconds fit into a long. */
    private static final long MAX_SECONDS = 9223372036L;

    private SettingRange() {}

    public static void requireNotNegative(String setting, long value) {
        if (value < 0) {
            throw outOfRange(setting, ">= 0", value + "");
        }
    }

    public static void requireNotNegative(String setting, Duration value) {
        if (value.isNegative()) {
            throw outOfRange(setting, ">= 0", value.toSeconds() + "s");
        }
        requireNanos(setting, value);
    }

    public static void requirePositive(String setting, Duration value) {
        if (!value.isPositive()) {
            throw new ConfigException("--" + setting + " must be > 0");
        }
        requireNanos(setting, value);
    }

    public static void requireAtMost(String setting, long max, long value) {
        if (value > max) {
            throw outOfRange(setting, "<= " + max, value + "");
        }
    }

    private static void requireNanos(String setting, Duration value) {
        if (value.toSeconds() > MAX_SECONDS) {
            throw outOfRange(setting, "<= " + MAX_SECONDS, value.toSeconds() + "s");
        }
    }

    private static ConfigException outOfRange(String setting, String range, String value) {
        return new ConfigException("--" + setting + " must be " + range + " (got " + value + ")");
    }
}
