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

/** How whatever is at the path of a lock is removed: under the sidecar, and aside first. */
final class LockFileRemoval {
    enum Outcome {
        DONE,
        /** Nothing was there. */
        GONE,
        /** Something else was there, and is again. */
        OTHER
    }

    /** What is said once. */
    enum Warning {
        NO_SIDECAR,
        NOT_REMOVED
    }

    private final LockFileSystem lockFileSystem;
    private final LockPaths paths;
    private final LockFileConfig config;
    private final Set<Warning> warned = EnumSet.noneOf(Warning.class);

    /** Whether files can have no second name here. */
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

    /** This file system was seen to refuse second names. */
    void setNoLinks() {
        noLinks = true;
    }

    /** Empty, and nothing was done, if others had the sidecar all the time. */
    <T> Optional<T> underSidecar(Duration patience, LockFileSystem.Action<T> work)
            throws IOException {
        try {
            return lockFileSystem.locked(paths.sidecar(), patience, work);
        } catch (LockFileSystem.NoSidecarException e) {
            warnOfNoSidecar(e);
            return Optional.of(work.run());
        }
    }

    /** The only way in which anything is removed from the path. */
    Outcome aside(ObservedFile judged) throws IOException {
        Path aside = paths.oldHelper();
        try {
            lockFileSystem.rename(paths.lock(), aside);
        } catch (NoSuchFileException e) {
            return Outcome.GONE;
        }
        ObservedFile moved;
        try {
            moved = readTwice(aside);
        } catch (IOException e) { // whose it is, is not known
            BestEffortCleanup.run(() -> putBack(aside, null));
            throw e;
        }
        if (moved == null || moved.isSame(judged) || moved.file().isAbandoned()) {
            BestEffortCleanup.run(() -> lockFileSystem.delete(aside));
            return Outcome.DONE;
        }
        putBack(aside, moved.bytes());
        return Outcome.OTHER;
    }

    private @Nullable ObservedFile readTwice(Path aside) throws IOException {
        try {
            return ObservedFile.of(lockFileSystem, aside);
        } catch (IOException e) {
            return ObservedFile.of(lockFileSystem, aside);
        }
    }

    private void putBack(Path aside, byte @Nullable [] bytes) throws IOException {
        if (!isBack(aside, bytes)) {
            config.onWarning()
                    .accept(
                            "a holder of "
                                    + paths.lock()
                                    + " was displaced by a program that removes or overwrites"
                                    + " locks; its file is now "
                                    + aside);
        }
    }

    private boolean isBack(Path aside, byte @Nullable [] bytes) throws IOException {
        try {
            lockFileSystem.link(aside, paths.lock());
            BestEffortCleanup.run(() -> lockFileSystem.delete(aside));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (FileSystemException | UnsupportedOperationException e) {
            if (noLinks && bytes != null && bytes.length < LockFile.READ_LIMIT) {
                return isCopied(aside, bytes);
            }
            return isMovedBack(aside);
        }
    }

    /** Its holder will take it for another one and stop; that is better than two. */
    private boolean isCopied(Path aside, byte[] bytes) throws IOException {
        try (LockFileSystem.OwnFile copy =
                lockFileSystem.create(paths.lock(), config.privateFile())) {
            copy.rewrite(bytes);
            BestEffortCleanup.run(() -> lockFileSystem.delete(aside));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** For a file of another user, to which the system allows no second name, and for a folder. */
    private boolean isMovedBack(Path aside) throws IOException {
        if (lockFileSystem.stat(paths.lock()) != null) {
            return false;
        }
        lockFileSystem.rename(aside, paths.lock());
        return true;
    }

    void warnOfNoSidecar(LockFileSystem.NoSidecarException e) {
        warn(
                Warning.NO_SIDECAR,
                LockFileExceptions.why(e)
                        + "; without it two processes that take over "
                        + paths.lock()
                        + " at the same time might both succeed");
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
