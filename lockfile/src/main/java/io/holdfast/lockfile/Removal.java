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
final class Removal {
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

    private final Disk disk;
    private final LockPaths paths;
    private final LockFileConfig config;
    private final Set<Warning> warned = EnumSet.noneOf(Warning.class);

    /** Whether files can have no second name here. */
    private volatile boolean noLinks;

    Removal(Disk disk, LockPaths paths, LockFileConfig config, Platform platform) {
        this.disk = disk;
        this.paths = paths;
        this.config = config;
        this.noLinks = !platform.links();
    }

    /** This file system was seen to refuse second names. */
    void setNoLinks() {
        noLinks = true;
    }

    /** Empty, and nothing was done, if others had the sidecar all the time. */
    <T> Optional<T> underSidecar(Duration patience, Disk.Action<T> work) throws IOException {
        try {
            return disk.locked(paths.sidecar(), patience, work);
        } catch (Disk.NoSidecarException e) {
            warnOfNoSidecar(e);
            return Optional.of(work.run());
        }
    }

    /** The only way in which anything is removed from the path. */
    Outcome aside(ObservedFile judged) throws IOException {
        Path aside = paths.oldHelper();
        try {
            disk.rename(paths.lock(), aside);
        } catch (NoSuchFileException e) {
            return Outcome.GONE;
        }
        ObservedFile moved;
        try {
            moved = readTwice(aside);
        } catch (IOException e) { // whose it is, is not known
            BestEffort.run(() -> putBack(aside, null));
            throw e;
        }
        if (moved == null || moved.isSame(judged) || moved.file().isAbandoned()) {
            BestEffort.run(() -> disk.delete(aside));
            return Outcome.DONE;
        }
        putBack(aside, moved.bytes());
        return Outcome.OTHER;
    }

    private @Nullable ObservedFile readTwice(Path aside) throws IOException {
        try {
            return ObservedFile.of(disk, aside);
        } catch (IOException e) {
            return ObservedFile.of(disk, aside);
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
            disk.link(aside, paths.lock());
            BestEffort.run(() -> disk.delete(aside));
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
        try (Disk.OwnFile copy = disk.create(paths.lock(), config.privateFile())) {
            copy.rewrite(bytes);
            BestEffort.run(() -> disk.delete(aside));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** For a file of another user, to which the system allows no second name, and for a folder. */
    private boolean isMovedBack(Path aside) throws IOException {
        if (disk.stat(paths.lock()) != null) {
            return false;
        }
        disk.rename(aside, paths.lock());
        return true;
    }

    void warnOfNoSidecar(Disk.NoSidecarException e) {
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
