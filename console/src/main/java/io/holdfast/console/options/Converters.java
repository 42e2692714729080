package io.holdfast.console.options;

import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Converters of numbers and paths whose error messages give the expected form. */
public final class Converters {
    private Converters() {}

    /** Registers them for the command and all its subcommands. */
    public static void register(CommandLine line) {
        line.registerConverter(int.class, Converters::toInt)
                .registerConverter(Integer.class, Converters::toInt)
                .registerConverter(long.class, Converters::toLong)
                .registerConverter(Long.class, Converters::toLong)
                .registerConverter(Path.class, Converters::toPath);
    }

    private static int toInt(String text) {
        return (int) toNumber(text, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    private static long toLong(String text) {
        return toNumber(text, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static long toNumber(String text, long min, long max) {
        if (!text.matches("[+-]?[0-9]{1,100}")) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
        BigInteger number = new BigInteger(text);
        if (number.compareTo(BigInteger.valueOf(min)) < 0
                || number.compareTo(BigInteger.valueOf(max)) > 0) {
            throw new TypeConversionException(
                    "'" + text + "' is not a number from " + min + " to " + max);
        }
        return number.longValueExact();
    }

    private static Path toPath(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException(FileNames.refused(text));
        }
    }
}
