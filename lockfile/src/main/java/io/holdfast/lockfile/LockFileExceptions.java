package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;

/** Turns what a file system says into what a caller can act on. */
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
                    lock, "not permitted to make or remove " + lock + ": " + why(e), e);
        }
        return new LockFileIoException(lock, why(e), e);
    }

    static boolean isNotPermitted(IOException e) {
        return e instanceof AccessDeniedException || NOT_PERMITTED.contains(why(e));
    }

    /** The reason alone, where the file system gives one. */
    static String why(IOException e) {
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
