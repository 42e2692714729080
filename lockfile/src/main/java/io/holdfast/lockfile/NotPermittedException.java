package io.holdfast.lockfile;

import java.nio.file.Path;

/**
 * The operating system does not let this user make or remove the file. Look at the folder's rights.
 */
public final class NotPermittedException extends LockFileException {
    NotPermittedException(Path path, String message, Throwable cause) {
        super(path, message, cause);
    }
}
