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

    private final LockFileSystem lockFileSystem;
    private final LockPaths paths;
    private final StalenessEvaluator stalenessEvaluator;
    private final LockFileRemoval lockFileRemoval;

    LockCleaner(
            LockFileSystem lockFileSystem,
            LockPaths paths,
            StalenessEvaluator stalenessEvaluator,
            LockFileRemoval lockFileRemoval) {
        this.lockFileSystem = lockFileSystem;
        this.paths = paths;
        this.stalenessEvaluator = stalenessEvaluator;
        this.lockFileRemoval = lockFileRemoval;
    }

    /** Removes a lock that somebody else made, or that another process of ours left. */
    boolean release(ReleaseCredential releaseCredential) throws IOException {
        return remove(
                seen -> {
                    Holder holder = seen.file().holder();
                    if (holder == null) {
                        boolean unfinished = seen.file().content() == LockFileContent.DEBRIS;
                        if (!unfinished || !(releaseCredential instanceof ReleaseCredential.None)) {
                            throw new DamagedLockException(stalenessEvaluator.status(seen));
                        }
                    } else if (!isProven(releaseCredential, holder, seen.file().pidEnded())) {
                        throw new NotOwnerException(stalenessEvaluator.status(seen));
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
                    LockFileSystem.Kind kind = seen.entry().kind();
                    if (kind != LockFileSystem.Kind.FILE && kind != LockFileSystem.Kind.LINK) {
                        throw new DamagedLockException(stalenessEvaluator.status(seen));
                    }
                });
    }

    private interface Objection {
        /** Throws if this may not be removed. */
        void raise(ObservedFile seen);
    }

    private boolean remove(Objection objection) throws IOException {
        ObservedFile first = ObservedFile.of(lockFileSystem, paths.lock());
        if (first == null) {
            return false;
        }
        objection.raise(first); // before anything is touched
        for (int turn = 1; ; turn++) {
            LockFileRemoval.Outcome outcome =
                    lockFileRemoval
                            .underSidecar(
                                    LockFileOperations.RELEASE_TIMEOUT,
                                    () -> {
                                        ObservedFile seen =
                                                ObservedFile.of(lockFileSystem, paths.lock());
                                        if (seen == null) {
                                            return LockFileRemoval.Outcome.GONE;
                                        }
                                        objection.raise(seen);
                                        return lockFileRemoval.aside(seen);
                                    })
                            .orElseThrow(() -> new IOException(paths.sidecar() + " is in use"));
            if (outcome != LockFileRemoval.Outcome.OTHER) {
                return outcome == LockFileRemoval.Outcome.DONE;
            }
            if (turn == TURNS) {
                throw new IOException(paths.lock() + " keeps changing");
            }
        }
    }

    /** Removes the lock if it is stale, and helpers that somebody left long ago. */
    boolean clean() throws IOException {
        boolean removed = removeStale();
        Instant old = stalenessEvaluator.now().minus(HELPER_LIFE);
        for (String prefix : paths.helperPrefixes()) {
            for (String name : lockFileSystem.list(paths.folder(), prefix)) {
                removed |= paths.isHelper(name) && removeHelper(name, old);
            }
        }
        return removed;
    }

    private boolean removeStale() throws IOException {
        ObservedFile seen = ObservedFile.of(lockFileSystem, paths.lock());
        if (seen == null || !stalenessEvaluator.mayBeTaken(seen)) {
            return false;
        }
        return lockFileRemoval
                .underSidecar(
                        Duration.ZERO,
                        () -> {
                            ObservedFile again = ObservedFile.of(lockFileSystem, paths.lock());
                            return again != null
                                    && stalenessEvaluator.isStillToBeTaken(again, seen)
                                    && lockFileRemoval.aside(again) == LockFileRemoval.Outcome.DONE;
                        })
                .orElse(false);
    }

    private boolean removeHelper(String name, Instant old) throws IOException {
        Path helper = paths.folder().resolve(name);
        LockFileSystem.Entry entry = lockFileSystem.stat(helper);
        if (entry == null
                || entry.kind() != LockFileSystem.Kind.FILE
                || !entry.modified().isBefore(old)) {
            return false;
        }
        try {
            lockFileSystem.delete(helper);
            return true;
        } catch (FileSystemException e) {
            return false; // somebody else's, or gone by now
        }
    }
}
