package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What was at a path at one moment. Two observations are of the same file if its identity (inode)
 * and content are equal.
 */
final class LockFileObservation {
    private static final int MAX_ATTEMPTS = 10;

    private final LockFileSystem.Entry entry;
    private final byte @Nullable [] bytes;

    /** Parsed on first use: most callers only compare. */
    private @Nullable LockFile file;

    private LockFileObservation(LockFileSystem.Entry entry, byte @Nullable [] bytes) {
        this.entry = entry;
        this.bytes = bytes;
    }

    /** Reads what is at the path; null if there is nothing. Opens only regular files. */
    static @Nullable LockFileObservation of(LockFileSystem lockFileSystem, Path path)
            throws IOException {
        for (int i = 1; ; i++) {
            LockFileSystem.Entry entry = lockFileSystem.stat(path);
            if (entry == null) {
                return null;
            }
            if (entry.kind() != LockFileSystem.Kind.FILE) {
                return unread(entry);
            }
            try {
                return new LockFileObservation(
                        entry, lockFileSystem.read(path, LockFile.READ_LIMIT));
            } catch (AccessDeniedException e) {
                return unread(entry);
            } catch (NoSuchFileException e) {
                // removed in between: retry
            } catch (FileSystemException e) {
                if (i == MAX_ATTEMPTS) { // not caused by a concurrent replacement
                    throw e;
                }
            }
            if (i == MAX_ATTEMPTS) {
                return unread(entry); // appears and disappears repeatedly: counts as held
            }
        }
    }

    private static LockFileObservation unread(LockFileSystem.Entry entry) {
        return new LockFileObservation(entry, null);
    }

    LockFileSystem.Entry entry() {
        return entry;
    }

    /** Null if it is no regular file, or may not be read. */
    byte @Nullable [] bytes() {
        return bytes;
    }

    LockFile file() {
        LockFile read = file;
        if (read == null) {
            read =
                    bytes == null
                            ? new LockFile(
                                    LockFileContent.FOREIGN, null, entry.modified(), false, false)
                            : LockFile.parse(bytes, entry.modified());
            file = read;
        }
        return read;
    }

    boolean isSame(LockFileObservation other) {
        // The modification time is compared too: two unfinished files may have equal content, and
        // the second may have reused the inode of the first.
        return is(other.entry.identity(), other.bytes)
                && entry.modified().equals(other.entry.modified());
    }

    boolean is(Object identity, byte @Nullable [] content) {
        return entry.identity().equals(identity) && Arrays.equals(bytes, content);
    }
}
