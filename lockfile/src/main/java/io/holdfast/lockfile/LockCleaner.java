package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Removes locks and helper files for which this process has no guard. */
final class LockCleaner {
    private static final int MAX_ATTEMPTS = 3;
    private static final Duration MAX_HELPER_AGE = Duration.ofHours(1);

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

    /** Removes a lock that another program made, or that an earlier process detached. */
    boolean release(ReleaseCredential releaseCredential) throws IOException {
        return remove(
                observed -> {
                    Holder holder = observed.file().holder();
                    if (holder == null) {
                        boolean unfinished = observed.file().content() == LockFileContent.DEBRIS;
                        if (!unfinished || !(releaseCredential instanceof ReleaseCredential.None)) {
                            throw new DamagedLockException(stalenessEvaluator.status(observed));
                        }
                    } else if (!isEntitled(releaseCredential, holder, observed.file().pidEnded())) {
                        throw new CredentialMismatchException(stalenessEvaluator.status(observed));
                    }
                });
    }

    private static boolean isEntitled(
            ReleaseCredential releaseCredential, Holder holder, boolean pidEnded) {
        if (releaseCredential instanceof ReleaseCredential.Nonce nonce) {
            return nonce.nonce().equals(holder.nonce());
        }
        if (releaseCredential instanceof ReleaseCredential.Pid pid) {
            return pidEnded && pid.pid() == holder.pid();
        }
        return releaseCredential instanceof ReleaseCredential.None;
    }

    /** Removes any file or symbolic link at the path. */
    boolean forceRelease() throws IOException {
        return remove(
                observed -> {
                    LockFileSystem.Kind kind = observed.entry().kind();
                    if (kind != LockFileSystem.Kind.FILE && kind != LockFileSystem.Kind.LINK) {
                        throw new DamagedLockException(stalenessEvaluator.status(observed));
                    }
                });
    }

    private interface RemovalCheck {
        /** Throws if the file may not be removed. */
        void check(LockFileObservation observed);
    }

    private boolean remove(RemovalCheck removalCheck) throws IOException {
        LockFileObservation first = LockFileObservation.of(lockFileSystem, paths.lock());
        if (first == null) {
            return false;
        }
        removalCheck.check(first); // before anything is changed
        for (int attempt = 1; ; attempt++) {
            LockFileRemoval.Outcome outcome =
                    lockFileRemoval
                            .underSidecar(
                                    LockFileOperations.RELEASE_TIMEOUT,
                                    () -> {
                                        LockFileObservation observed =
                                                LockFileObservation.of(
                                                        lockFileSystem, paths.lock());
                                        if (observed == null) {
                                            return LockFileRemoval.Outcome.GONE;
                                        }
                                        removalCheck.check(observed);
                                        return lockFileRemoval.removeIfSame(observed);
                                    })
                            .orElseThrow(
                                    () ->
                                            new IOException(
                                                    paths.sidecar()
                                                            + " is locked by another process"));
            if (outcome != LockFileRemoval.Outcome.OTHER) {
                return outcome == LockFileRemoval.Outcome.DONE;
            }
            if (attempt == MAX_ATTEMPTS) {
                throw new IOException(
                        paths.lock()
                                + " was replaced during each of "
                                + MAX_ATTEMPTS
                                + " attempts");
            }
        }
    }

    /** Removes the lock if it is stale, and helper files older than {@link #MAX_HELPER_AGE}. */
    boolean clean() throws IOException {
        boolean removed = removeStale();
        Instant old = stalenessEvaluator.now().minus(MAX_HELPER_AGE);
        for (String prefix : paths.helperPrefixes()) {
            for (String name : lockFileSystem.list(paths.folder(), prefix)) {
                removed |= paths.isHelper(name) && removeHelper(name, old);
            }
        }
        return removed;
    }

    private boolean removeStale() throws IOException {
        LockFileObservation observed = LockFileObservation.of(lockFileSystem, paths.lock());
        if (observed == null || !stalenessEvaluator.mayBeTakenOver(observed)) {
            return false;
        }
        return lockFileRemoval
                .underSidecar(
                        Duration.ZERO,
                        () -> {
                            LockFileObservation again =
                                    LockFileObservation.of(lockFileSystem, paths.lock());
                            return again != null
                                    && stalenessEvaluator.mayStillBeTakenOver(again, observed)
                                    && lockFileRemoval.removeIfSame(again)
                                            == LockFileRemoval.Outcome.DONE;
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
            return false; // of another user, or already gone
        }
    }
}
