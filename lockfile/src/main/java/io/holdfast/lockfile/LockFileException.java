package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/** Base of every failure that has to do with a lock file. */
public abstract class LockFileException extends RuntimeException {
    private final Path path;

    LockFileException(Path path, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.path = path;
    }

    /** The lock file. */
    public Path path() {
        return path;
    }
}
