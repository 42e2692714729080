package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Removes locks and helpers that are nobody's in this process. */
final class Clearing {
    private static final int TURNS = 3;
    private static final Duration HELPER_LIFE = Duration.ofHours(1);

    private final Disk disk;
    private final LockPaths paths;
    private final Judge judge;
    private final Removal removal;

    Clearing(Disk disk, LockPaths paths, Judge judge, Removal removal) {
        this.disk = disk;
        this.paths = paths;
        this.judge = judge;
        this.removal = removal;
    }

    /** Removes a lock that somebody else made, or that another process of ours left. */
    boolean release(Proof proof) throws IOException {
        return remove(
                seen -> {
                    Holder holder = seen.file().holder();
                    if (holder == null) {
                        boolean unfinished = seen.file().content() == Content.DEBRIS;
                        if (!unfinished || !(proof instanceof Proof.None)) {
                            throw new DamagedLockException(judge.status(seen));
                        }
                    } else if (!isProven(proof, holder, seen.file().pidEnded())) {
                        throw new NotOwnerException(judge.status(seen));
                    }
                });
    }

    private static boolean isProven(Proof proof, Holder holder, boolean pidEnded) {
        if (proof instanceof Proof.Nonce nonce) {
            return nonce.nonce().equals(holder.nonce());
        }
        if (proof instanceof Proof.Pid pid) {
            return pidEnded && pid.pid() == holder.pid();
        }
        return proof instanceof Proof.None;
    }

    /** Removes any file or link. */
    boolean forceRelease() throws IOException {
        return remove(
                seen -> {
                    Disk.Kind kind = seen.entry().kind();
                    if (kind != Disk.Kind.FILE && kind != Disk.Kind.LINK) {
                        throw new DamagedLockException(judge.status(seen));
                    }
                });
    }

    private interface Objection {
        /** Throws if this may not be removed. */
        void raise(Sighting seen);
    }

    private boolean remove(Objection objection) throws IOException {
        Sighting first = Sighting.of(disk, paths.lock());
        if (first == null) {
            return false;
        }
        objection.raise(first); // before anything is touched
        for (int turn = 1; ; turn++) {
            Removal.Outcome outcome =
                    removal.underSidecar(
                                    LockProcedure.RELEASE_PATIENCE,
                                    () -> {
                                        Sighting seen = Sighting.of(disk, paths.lock());
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
        Instant old = judge.now().minus(HELPER_LIFE);
        for (String prefix : paths.helperPrefixes()) {
            for (String name : disk.list(paths.folder(), prefix)) {
                removed |= paths.isHelper(name) && removeHelper(name, old);
            }
        }
        return removed;
    }

    private boolean removeStale() throws IOException {
        Sighting seen = Sighting.of(disk, paths.lock());
        if (seen == null || !judge.mayBeTaken(seen)) {
            return false;
        }
        return removal.underSidecar(
                        Duration.ZERO,
                        () -> {
                            Sighting again = Sighting.of(disk, paths.lock());
                            return again != null
                                    && judge.isStillToBeTaken(again, seen)
                                    && removal.aside(again) == Removal.Outcome.DONE;
                        })
                .orElse(false);
    }

    private boolean removeHelper(String name, Instant old) throws IOException {
        Path helper = paths.folder().resolve(name);
        Disk.Entry entry = disk.look(helper);
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
