package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/** No lock file can be at this path: its folder is missing, or its name is not allowed. */
public final class LockPathException extends LockFileException {
    LockPathException(Path path, String message, @Nullable Throwable cause) {
        super(path, message, cause);
    }
}
