package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Removes locks and helpers that are nobody's in this process. */
final class LockCleaner {
    private static final int TURNS = 3;
    private static final Duration HELPER_LIFE = Duration.ofHours(1);

    private final Disk disk;
    private final LockPaths paths;
    private final LockFileEvaluator lockFileEvaluator;
    private final Removal removal;

    LockCleaner(Disk disk, LockPaths paths, LockFileEvaluator lockFileEvaluator, Removal removal) {
        this.disk = disk;
        this.paths = paths;
        this.lockFileEvaluator = lockFileEvaluator;
        this.removal = removal;
    }

    /** Removes a lock that somebody else made, or that another process of ours left. */
    boolean release(ReleaseCredential releaseCredential) throws IOException {
        return remove(
                seen -> {
                    Holder holder = seen.file().holder();
                    if (holder == null) {
                        boolean unfinished = seen.file().content() == LockFileContent.DEBRIS;
                        if (!unfinished || !(releaseCredential instanceof ReleaseCredential.None)) {
                            throw new DamagedLockException(lockFileEvaluator.status(seen));
                        }
                    } else if (!isProven(releaseCredential, holder, seen.file().pidEnded())) {
                        throw new NotOwnerException(lockFileEvaluator.status(seen));
                    }
                });
    }

    private static boolean isProven(
            ReleaseCredential releaseCredential, Holder holder, boolean pidEnded) {
        if (releaseCredential instanceof ReleaseCredential.Nonce nonce) {
            return nonce.nonce().equals(holder.nonce());
        }
        if (releaseCredential instanceof ReleaseCredential.Pid pid) {
            return pidEnded && pid.pid() == holder.pid();
        }
        return releaseCredential instanceof ReleaseCredential.None;
    }

    /** Removes any file or link. */
    boolean forceRelease() throws IOException {
        return remove(
                seen -> {
                    Disk.Kind kind = seen.entry().kind();
                    if (kind != Disk.Kind.FILE && kind != Disk.Kind.LINK) {
                        throw new DamagedLockException(lockFileEvaluator.status(seen));
                    }
                });
    }

    private interface Objection {
        /** Throws if this may not be removed. */
        void raise(ObservedFile seen);
    }

    private boolean remove(Objection objection) throws IOException {
        ObservedFile first = ObservedFile.of(disk, paths.lock());
        if (first == null) {
            return false;
        }
        objection.raise(first); // before anything is touched
        for (int turn = 1; ; turn++) {
            Removal.Outcome outcome =
                    removal.underSidecar(
                                    LockProcedure.RELEASE_TIMEOUT,
                                    () -> {
                                        ObservedFile seen = ObservedFile.of(disk, paths.lock());
                                        if (seen == null) {
                                            return Removal.Outcome.GONE;
                                        }
                                        objection.raise(seen);
                                        return removal.aside(seen);
                                    })
                            .orElseThrow(() -> new IOException(paths.sidecar() + " is in use"));
            if (outcome != Removal.Outcome.OTHER) {
                return outcome == Removal.Outcome.DONE;
            }
            if (turn == TURNS) {
                throw new IOException(paths.lock() + " keeps changing");
            }
        }
    }

    /** Removes the lock if it is stale, and helpers that somebody left long ago. */
    boolean clean() throws IOException {
        boolean removed = removeStale();
        Instant old = lockFileEvaluator.now().minus(HELPER_LIFE);
        for (String prefix : paths.helperPrefixes()) {
            for (String name : disk.list(paths.folder(), prefix)) {
                removed |= paths.isHelper(name) && removeHelper(name, old);
            }
        }
        return removed;
    }

    private boolean removeStale() throws IOException {
        ObservedFile seen = ObservedFile.of(disk, paths.lock());
        if (seen == null || !lockFileEvaluator.mayBeTaken(seen)) {
            return false;
        }
        return removal.underSidecar(
                        Duration.ZERO,
                        () -> {
                            ObservedFile again = ObservedFile.of(disk, paths.lock());
                            return again != null
                                    && lockFileEvaluator.isStillToBeTaken(again, seen)
                                    && removal.aside(again) == Removal.Outcome.DONE;
                        })
                .orElse(false);
    }

    private boolean removeHelper(String name, Instant old) throws IOException {
        Path helper = paths.folder().resolve(name);
        Disk.Entry entry = disk.stat(helper);
        if (entry == null || entry.kind() != Disk.Kind.FILE || !entry.modified().isBefore(old)) {
            return false;
        }
        try {
            disk.delete(helper);
            return true;
        } catch (FileSystemException e) {
            return false; // somebody else's, or gone by now
        }
    }
}
