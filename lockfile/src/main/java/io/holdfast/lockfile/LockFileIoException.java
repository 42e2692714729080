package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The file system failed: the disk is full, for example. Nothing was acquired and nothing left
 * behind.
 */
public final class LockFileIoException extends LockFileException {
    LockFileIoException(Path path, String why, IOException cause) {
        super(path, path + ": " + why, cause);
    }
}
