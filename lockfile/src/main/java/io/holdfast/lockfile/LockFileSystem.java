package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The operations of a file system that locks need, about one system call per method. No method
 * follows a symbolic link in the last element of a path, and none is affected by an interrupt of
 * the thread. Tests replace it by a simulation.
 */
interface LockFileSystem {
    enum Kind {
        FILE,
        FOLDER,
        LINK,
        OTHER
    }

    /**
     * What is at a path.
     *
     * @param identity (inode) equal for two names of the same file; two files differ in it, unless
     *     one was created after the other was removed
     */
    record Entry(Kind kind, Object identity, Instant modified) {}

    /** A file that this process created and keeps open. */
    interface OwnFile extends Closeable {
        /**
         * Overwrites the file from its beginning, and forces it to the disk.
         *
         * @throws java.nio.channels.ClosedByInterruptException if an interrupt closed the file
         */
        void write(byte[] content) throws IOException;

        /** Does the same, unaffected by interrupts. */
        default void rewrite(byte[] content) throws IOException {
            write(content);
        }
    }

    /** An operation on the file system. */
    interface Action<T> {
        T run() throws IOException;
    }

    /**
     * This user can never lock the sidecar: permissions are missing, or it is not a regular file.
     */
    final class NoSidecarException extends IOException {
        NoSidecarException(Path sidecar, IOException cause) {
            super("cannot open " + sidecar + ": " + LockFileExceptions.reason(cause), cause);
        }
    }

    /** The entry at the path, or null. */
    @Nullable Entry stat(Path path) throws IOException;

    /**
     * Reads the first bytes of a file, up to the limit.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     * @throws java.nio.file.AccessDeniedException if it may not be read
     */
    byte[] read(Path file, int limit) throws IOException;

    /**
     * Creates a new, empty file, which other users may read unless it is private.
     *
     * @throws java.nio.file.FileAlreadyExistsException if anything is there
     */
    OwnFile create(Path file, boolean isPrivate) throws IOException;

    /**
     * Creates a hard link.
     *
     * @throws java.nio.file.FileAlreadyExistsException if anything has that name
     */
    void link(Path file, Path name) throws IOException;

    /**
     * Renames a file atomically, replacing what has the new name.
     *
     * @throws java.nio.file.NoSuchFileException if there is nothing to move
     */
    void rename(Path from, Path to) throws IOException;

    /**
     * Deletes a file.
     *
     * @throws java.nio.file.NoSuchFileException if it is not there
     */
    void delete(Path path) throws IOException;

    /**
     * Runs the action under an exclusive lock of the sidecar, which no other process and no other
     * thread holds at the same time. The system releases the lock when the process ends.
     *
     * @param timeout how long to wait for the lock
     * @return empty, without running the action, if the lock was not available in time
     * @throws NoSidecarException without running the action, if the sidecar cannot be opened
     */
    <T> Optional<T> locked(Path sidecar, Duration timeout, Action<T> action) throws IOException;

    /** The names of the files in a folder that start with the prefix. */
    List<String> list(Path folder, String prefix) throws IOException;
}
