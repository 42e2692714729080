package io.holdfast.cli.options;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Reads the names of files. */
public final class FileNames {
    private FileNames() {}

    /**
     * A file of that name.
     *
     * @throws IllegalArgumentException with a text for the user
     */
    public static Path parse(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(refused(text), e);
        }
    }

    /** Why a text cannot be the name of a file. */
    public static String refused(String text) {
        return "'" + text + "' is not a file name in this locale: try LC_ALL=C.UTF-8";
    }
}
