package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** What was seen at a path: the file and its bytes together are its identity. */
final class ObservedFile {
    private static final int TRIES = 10;

    private final LockFileSystem.Entry entry;
    private final byte @Nullable [] bytes;

    /** Null until somebody asks: most only compare. */
    private @Nullable LockFile file;

    private ObservedFile(LockFileSystem.Entry entry, byte @Nullable [] bytes) {
        this.entry = entry;
        this.bytes = bytes;
    }

    /** Null if there is nothing. Never opens what is not a file. */
    static @Nullable ObservedFile of(LockFileSystem lockFileSystem, Path path) throws IOException {
        for (int i = 1; ; i++) {
            LockFileSystem.Entry entry = lockFileSystem.stat(path);
            if (entry == null) {
                return null;
            }
            if (entry.kind() != LockFileSystem.Kind.FILE) {
                return unread(entry);
            }
            try {
                return new ObservedFile(entry, lockFileSystem.read(path, LockFile.READ_LIMIT));
            } catch (AccessDeniedException e) {
                return unread(entry);
            } catch (NoSuchFileException e) {
                // gone in between: look again
            } catch (FileSystemException e) {
                if (i == TRIES) { // not just something else in its place
                    throw e;
                }
            }
            if (i == TRIES) {
                return unread(entry); // comes and goes: somebody has it
            }
        }
    }

    private static ObservedFile unread(LockFileSystem.Entry entry) {
        return new ObservedFile(entry, null);
    }

    LockFileSystem.Entry entry() {
        return entry;
    }

    /** Null if it is no file, or may not be read. */
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

    boolean isSame(ObservedFile other) {
        // The time too: two unfinished files may have the same bytes, and one after the other the
        // same identity.
        return is(other.entry.identity(), other.bytes)
                && entry.modified().equals(other.entry.modified());
    }

    boolean is(Object identity, byte @Nullable [] content) {
        return entry.identity().equals(identity) && Arrays.equals(bytes, content);
    }
}
