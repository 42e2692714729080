package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The file system failed, for example because the disk is full. Nothing was acquired, and no file
 * was left behind.
 */
public final class LockFileIoException extends LockFileException {
    LockFileIoException(Path path, String why, IOException cause) {
        super(path, path + ": " + why, cause);
    }
}
