package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;

/** Translates exceptions of the file system into those of this library. */
final class LockFileExceptions {
    private static final Set<String> NOT_PERMITTED =
            Set.of("Operation not permitted", "Permission denied", "Read-only file system");

    private LockFileExceptions() {}

    static LockFileException translate(Path lock, IOException e) {
        Path folder = lock.getParent();
        if (e instanceof NoSuchFileException && folder != null && !Files.isDirectory(folder)) {
            return new LockPathException(lock, "no such folder: " + folder, e);
        }
        if (isNotPermitted(e)) {
            return new NotPermittedException(
                    lock, "not permitted to create or remove " + lock + ": " + reason(e), e);
        }
        return new LockFileIoException(lock, reason(e), e);
    }

    static boolean isNotPermitted(IOException e) {
        return e instanceof AccessDeniedException || NOT_PERMITTED.contains(reason(e));
    }

    /** The reason without the path, where the file system gives one, otherwise the message. */
    static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "Permission denied";
        }
        if (e instanceof FileSystemException failure && failure.getReason() != null) {
            return failure.getReason();
        }
        String message = e.getMessage();
        return message == null ? e.toString() : message;
    }
}
