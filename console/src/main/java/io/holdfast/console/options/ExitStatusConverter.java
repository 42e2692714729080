package io.holdfast.console.options;

import picocli.CommandLine.ITypeConverter;

/** Converts an option that is an exit status. */
public final class ExitStatusConverter implements ITypeConverter<Integer> {
    private static final int MAX_STATUS = 255;

    @Override
    public Integer convert(String text) {
        return Math.toIntExact(WholeNumbers.convert(text, MAX_STATUS));
    }
}
