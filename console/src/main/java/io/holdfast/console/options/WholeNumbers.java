package io.holdfast.console.options;

import picocli.CommandLine.TypeConversionException;

/** Whole numbers in Holdfast's own options: digits only. */
public final class WholeNumbers {
    private WholeNumbers() {}

    /** Parses a number from 0 to {@code max}, which has at most 18 digits. */
    public static long convert(String text, long max) {
        if (text.matches("[0-9]{1,18}") && Long.parseLong(text) <= max) {
            return Long.parseLong(text);
        }
        throw new TypeConversionException("'" + text + "' is not a number from 0 to " + max);
    }
}
