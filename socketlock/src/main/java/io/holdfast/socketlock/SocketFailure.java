package io.holdfast.socketlock;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Describes failures of a socket and its files for users, without names of Java classes. */
final class SocketFailure {
    private SocketFailure() {}

    /** The reason of a failure, to be appended to a message after a colon. */
    static String reason(IOException failure) {
        if (failure instanceof FileSystemException file) {
            return file(file);
        }
        String message = failure.getMessage();
        if (message != null) {
            return message;
        }
        return failure instanceof ClosedChannelException
                ? "the connection was closed"
                : "the connection failed";
    }

    private static String file(FileSystemException failure) {
        if (failure.getReason() != null) {
            return failure.getReason();
        }
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        return failure instanceof AccessDeniedException
                ? "permission denied"
                : "the file system refused the operation";
    }
}
