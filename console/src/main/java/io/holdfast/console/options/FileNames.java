package io.holdfast.console.options;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Parses file names. */
public final class FileNames {
    private FileNames() {}

    /**
     * Returns the path of that name.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    public static Path parse(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(refused(text), e);
        }
    }

    /** Returns the message for a text that cannot be a file name. */
    public static String refused(String text) {
        return "'" + text + "' is not a file name in this locale: try LC_ALL=C.UTF-8";
    }
}
