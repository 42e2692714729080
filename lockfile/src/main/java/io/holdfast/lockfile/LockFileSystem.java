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
 * The file system as far as locks need it, about one system call a method. No method follows a link
 * in the last part of a path, and none is disturbed by an interrupted thread. A simulation takes
 * its place in tests.
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
     * @param identity equal for two names of the same file; not for two files, unless one of them
     *     is gone
     */
    record Entry(Kind kind, Object identity, Instant modified) {}

    /** A file of ours that stays open. */
    interface OwnFile extends Closeable {
        /**
         * Writes over the file from its beginning, and waits until the disk has it.
         *
         * @throws java.nio.channels.ClosedByInterruptException if an interrupt closed the file
         */
        void write(byte[] content) throws IOException;

        /** The same, not disturbed by an interrupt. */
        default void rewrite(byte[] content) throws IOException {
            write(content);
        }
    }

    /** Something to do with the file system. */
    interface Action<T> {
        T run() throws IOException;
    }

    /** This user cannot lock the sidecar, now and later: it has no right to, or it is no file. */
    final class NoSidecarException extends IOException {
        NoSidecarException(Path sidecar, IOException cause) {
            super("cannot open " + sidecar + ": " + LockFileExceptions.why(cause), cause);
        }
    }

    /** What is there, or null. */
    @Nullable Entry stat(Path path) throws IOException;

    /**
     * The first bytes of a file.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     * @throws java.nio.file.AccessDeniedException if it may not be read
     */
    byte[] read(Path file, int limit) throws IOException;

    /**
     * Makes an empty file that was not there, which others may read unless it is private.
     *
     * @throws java.nio.file.FileAlreadyExistsException if anything is there
     */
    OwnFile create(Path file, boolean isPrivate) throws IOException;

    /**
     * Gives a file a second name.
     *
     * @throws java.nio.file.FileAlreadyExistsException if anything has that name
     */
    void link(Path file, Path name) throws IOException;

    /**
     * Moves a name, over whatever has the other name.
     *
     * @throws java.nio.file.NoSuchFileException if there is nothing to move
     */
    void rename(Path from, Path to) throws IOException;

    /**
     * Removes a name.
     *
     * @throws java.nio.file.NoSuchFileException if it is not there
     */
    void delete(Path path) throws IOException;

    /**
     * Does something while no other process and no other thread does so with the same sidecar; the
     * lock ends with the process at the latest.
     *
     * @return empty, and nothing was done, if somebody else had it for as long as we may wait
     * @throws NoSidecarException if nothing was done, since the sidecar cannot be opened
     */
    <T> Optional<T> locked(Path sidecar, Duration patience, Action<T> action) throws IOException;

    /** The names of the files in a folder that begin with the given text. */
    List<String> list(Path folder, String prefix) throws IOException;
}
