package io.holdfast.cli.options;

import picocli.CommandLine.TypeConversionException;

/** Whole numbers as our own options take them: digits alone. */
public final class WholeNumbers {
    private WholeNumbers() {}

    /** A number from 0 to the highest, which has at most 18 digits. */
    public static long convert(String text, long highest) {
        if (text.matches("[0-9]{1,18}") && Long.parseLong(text) <= highest) {
            return Long.parseLong(text);
        }
        throw new TypeConversionException("'" + text + "' is not a number from 0 to " + highest);
    }
}
