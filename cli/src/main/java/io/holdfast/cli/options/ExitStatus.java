package io.holdfast.cli.options;

import picocli.CommandLine.ITypeConverter;

/** Reads an option that is an exit status. */
public final class ExitStatus implements ITypeConverter<Integer> {
    private static final int HIGHEST = 255;

    @Override
    public Integer convert(String text) {
        return Math.toIntExact(Numerals.convert(text, HIGHEST));
    }
}
