package io.holdfast.console.options;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.time.Duration;

/** Converts an option that is a duration. */
public final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        return Durations.parse(text)
                .orElseThrow(
                        () ->
                                new TypeConversionException(
                                        "'" + text + "' is not " + Durations.EXAMPLES));
    }
}
