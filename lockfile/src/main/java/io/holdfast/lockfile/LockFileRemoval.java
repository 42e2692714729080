package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Removes what is at the path of a lock: under the file lock of the sidecar, and by renaming it
 * first.
 */
final class LockFileRemoval {
    enum Outcome {
        DONE,
        /** Nothing was there. */
        GONE,
        /** Another file than expected was there, and has been put back. */
        OTHER
    }

    /** Warnings that are given once per lock. */
    enum Warning {
        NO_SIDECAR,
        NOT_REMOVED
    }

    private final LockFileSystem lockFileSystem;
    private final LockPaths paths;
    private final LockFileConfig config;
    private final Set<Warning> warned = EnumSet.noneOf(Warning.class);

    /** Whether hard links are not available here. */
    private volatile boolean noLinks;

    LockFileRemoval(
            LockFileSystem lockFileSystem,
            LockPaths paths,
            LockFileConfig config,
            FileSystemCapabilities fileSystemCapabilities) {
        this.lockFileSystem = lockFileSystem;
        this.paths = paths;
        this.config = config;
        this.noLinks = !fileSystemCapabilities.links();
    }

    /** Notes that this file system has refused a hard link. */
    void setNoLinks() {
        noLinks = true;
    }

    /**
     * Runs the action under the file lock of the sidecar; empty, without running it, if the sidecar
     * could not be locked in time. Where the sidecar cannot be used, warns and runs the action
     * without it.
     */
    <T> Optional<T> underSidecar(Duration timeout, LockFileSystem.Action<T> work)
            throws IOException {
        try {
            return lockFileSystem.locked(paths.sidecar(), timeout, work);
        } catch (LockFileSystem.NoSidecarException e) {
            warnOfNoSidecar(e);
            return Optional.of(work.run());
        }
    }

    /**
     * Removes the file at the path if it is the expected one. Nothing is removed from the path in
     * any other way.
     */
    Outcome removeIfSame(LockFileObservation expected) throws IOException {
        Path renamed = paths.oldHelper();
        try {
            lockFileSystem.rename(paths.lock(), renamed);
        } catch (NoSuchFileException e) {
            return Outcome.GONE;
        }
        LockFileObservation moved;
        try {
            moved = readTwice(renamed);
        } catch (IOException e) { // cannot be compared
            BestEffortCleanup.run(() -> putBackOrWarn(renamed, null));
            throw e;
        }
        if (moved == null || moved.isSame(expected) || moved.file().isAbandoned()) {
            BestEffortCleanup.run(() -> lockFileSystem.delete(renamed));
            return Outcome.DONE;
        }
        putBackOrWarn(renamed, moved.bytes());
        return Outcome.OTHER;
    }

    private @Nullable LockFileObservation readTwice(Path renamed) throws IOException {
        try {
            return LockFileObservation.of(lockFileSystem, renamed);
        } catch (IOException e) {
            return LockFileObservation.of(lockFileSystem, renamed);
        }
    }

    private void putBackOrWarn(Path renamed, byte @Nullable [] bytes) throws IOException {
        if (!putBack(renamed, bytes)) {
            config.onWarning()
                    .accept(
                            "a holder of "
                                    + paths.lock()
                                    + " was displaced by a program that removes or overwrites"
                                    + " locks; its file is now "
                                    + renamed);
        }
    }

    private boolean putBack(Path renamed, byte @Nullable [] bytes) throws IOException {
        try {
            lockFileSystem.link(renamed, paths.lock());
            BestEffortCleanup.run(() -> lockFileSystem.delete(renamed));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (FileSystemException | UnsupportedOperationException e) {
            if (noLinks && bytes != null && bytes.length < LockFile.READ_LIMIT) {
                return copyBack(renamed, bytes);
            }
            return renameBack(renamed);
        }
    }

    /**
     * Creates a file with the same content. Its holder will take it for another file and report the
     * lock as lost, which is better than two holders.
     */
    private boolean copyBack(Path renamed, byte[] bytes) throws IOException {
        try (LockFileSystem.OwnFile copy =
                lockFileSystem.create(paths.lock(), config.privateFile())) {
            copy.rewrite(bytes);
            BestEffortCleanup.run(() -> lockFileSystem.delete(renamed));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /**
     * Renames the file back: for files of other users, for which the system may refuse hard links,
     * and for folders.
     */
    private boolean renameBack(Path renamed) throws IOException {
        if (lockFileSystem.stat(paths.lock()) != null) {
            return false;
        }
        lockFileSystem.rename(renamed, paths.lock());
        return true;
    }

    void warnOfNoSidecar(LockFileSystem.NoSidecarException e) {
        warn(
                Warning.NO_SIDECAR,
                LockFileExceptions.reason(e)
                        + "; without it, two processes could both take over "
                        + paths.lock()
                        + ": check the permissions of the folder and of that file");
    }

    void warn(Warning which, String text) {
        synchronized (warned) {
            if (!warned.add(which)) {
                return;
            }
        }
        config.onWarning().accept(text);
    }
}
