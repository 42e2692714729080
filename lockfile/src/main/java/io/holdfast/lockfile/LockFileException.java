package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/** Base of all failures of lock files. */
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
