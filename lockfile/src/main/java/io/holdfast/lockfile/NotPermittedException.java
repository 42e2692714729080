package io.holdfast.lockfile;

import java.nio.file.Path;

/**
 * The operating system does not permit this user to create or remove the file. Check the
 * permissions of the folder.
 */
public final class NotPermittedException extends LockFileException {
    NotPermittedException(Path path, String message, Throwable cause) {
        super(path, message, cause);
    }
}
