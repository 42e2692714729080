package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How a lock file is made, kept and removed.
 *
 * <p>It appears by an operation that fails if anything is there, with its content in place. It is
 * removed while holding the lock on the sidecar: between the last look and the removal the name is
 * taken, so nobody can make a new file there, and everybody who could remove the old one needs the
 * sidecar. Hence what is removed is what was judged. For programs that know no sidecar there is a
 * net: the file is moved aside, looked at once more, and put back if it is another one.
 */
final class LockFileOperations {
    /** What came of an attempt. */
    sealed interface Attempt {
        record Acquired(HeldLockFile held) implements Attempt {}

        record Refused(LockFileStatus status) implements Attempt {}
    }

    /**
     * What came of a release or a heartbeat.
     *
     * @param lost null if it was still ours
     * @param fileLeft whether it was released but its file is still there
     */
    record Ending(@Nullable LockLostException lost, boolean fileLeft) {
        static final Ending GOOD = new Ending(null, false);
        static final Ending FILE_LEFT = new Ending(null, true);

        static Ending lost(LockLostException lost) {
            return new Ending(lost, false);
        }
    }

    /** Lets time pass, more or less. */
    interface Pause {
        void of(Duration time);
    }

    private static final int TURNS = 3;
    private static final Duration AT_ONCE = Duration.ZERO;
    static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration REFRESH_TIMEOUT = Duration.ofMillis(100);

    /** After a takeover without the sidecar: long enough to notice most others who did so too. */
    private static final Duration UNGUARDED_SETTLE = Duration.ofMillis(50);

    private final LockFileSystem lockFileSystem;
    private final LockPaths paths;
    private final LockFileConfig config;
    private final FileSystemCapabilities fileSystemCapabilities;
    private final Pause pause;
    private final StalenessEvaluator stalenessEvaluator;
    private final LockFileRemoval lockFileRemoval;
    private final LockCleaner lockCleaner;

    LockFileOperations(
            LockFileSystem lockFileSystem,
            LockPaths paths,
            LockFileConfig config,
            FileSystemCapabilities fileSystemCapabilities,
            Pause pause) {
        this.lockFileSystem = lockFileSystem;
        this.paths = paths;
        this.config = config;
        this.fileSystemCapabilities = fileSystemCapabilities;
        this.pause = pause;
        this.stalenessEvaluator = new StalenessEvaluator(paths.lock(), config);
        this.lockFileRemoval =
                new LockFileRemoval(lockFileSystem, paths, config, fileSystemCapabilities);
        this.lockCleaner =
                new LockCleaner(lockFileSystem, paths, stalenessEvaluator, lockFileRemoval);
    }

    Path path() {
        return paths.lock();
    }

    LockFileConfig config() {
        return config;
    }

    LockFileStatus status() throws IOException {
        return stalenessEvaluator.status(sight());
    }

    private @Nullable ObservedFile sight() throws IOException {
        return ObservedFile.of(lockFileSystem, paths.lock());
    }

    Attempt attempt(@Nullable String tag) throws IOException {
        try (var uninterruptibleScope = new UninterruptibleScope()) {
            return uninterruptibleScope.call(() -> attemptOnce(tag));
        }
    }

    private Attempt attemptOnce(@Nullable String tag) throws IOException {
        try {
            return attempt(tag, fileSystemCapabilities.links());
        } catch (UnpublishedLock.NoLinksException e) {
            lockFileRemoval.setNoLinks();
            return attempt(tag, false);
        }
    }

    private Attempt attempt(@Nullable String tag, boolean links) throws IOException {
        UnpublishedLock unpublishedLock = null;
        try {
            for (int turn = 1; ; turn++) {
                ObservedFile seen = sight();
                if (turn > TURNS || (seen != null && !stalenessEvaluator.mayBeTaken(seen))) {
                    return new Attempt.Refused(stalenessEvaluator.status(seen));
                }
                if (unpublishedLock == null) {
                    unpublishedLock = draft(tag, links);
                }
                if (seen != null) {
                    return takeOver(seen, unpublishedLock);
                }
                if (unpublishedLock.publish()) {
                    return settled(unpublishedLock.held(), config.settleTime());
                }
            }
        } finally {
            if (unpublishedLock != null) {
                unpublishedLock.discard();
            }
        }
    }

    private UnpublishedLock draft(@Nullable String tag, boolean links) throws IOException {
        Holder holder = holder(tag);
        return links
                ? new UnpublishedLock.Linked(lockFileSystem, paths, holder, config.privateFile())
                : new UnpublishedLock.Direct(
                        lockFileSystem,
                        paths,
                        holder,
                        config.privateFile(),
                        fileSystemCapabilities.keepsOpen(),
                        this);
    }

    private Holder holder(@Nullable String tag) {
        long pid = config.pid().orElse(OwnProcess.PID);
        Long start =
                pid == OwnProcess.PID
                        ? OwnProcess.START
                        : config.processes().apply(pid).map(OwnProcess::start).orElse(null);
        long now = seconds();
        return new Holder(
                pid,
                now,
                tag == null ? null : LockFile.tag(tag, config.maxTagLength()),
                LockPaths.randomHex(),
                start,
                OwnProcess.HOST,
                now);
    }

    private long seconds() {
        return Math.max(0, stalenessEvaluator.now().getEpochSecond());
    }

    private Attempt takeOver(ObservedFile stale, UnpublishedLock unpublishedLock)
            throws IOException {
        LockFileSystem.Action<Boolean> work = () -> isGone(stale) && unpublishedLock.publish();
        Duration settle = config.settleTime();
        boolean published;
        try {
            published = lockFileSystem.locked(paths.sidecar(), AT_ONCE, work).orElse(false);
        } catch (LockFileSystem.NoSidecarException e) {
            lockFileRemoval.warnOfNoSidecar(e);
            published = work.run();
            settle = settle.compareTo(UNGUARDED_SETTLE) < 0 ? UNGUARDED_SETTLE : settle;
        } catch (IOException | RuntimeException e) {
            if (unpublishedLock
                    .published) { // and then something failed: nobody would get the guard
                BestEffortCleanup.run(() -> release(unpublishedLock.held()));
                close(unpublishedLock.held());
            }
            throw e;
        }
        return published ? settled(unpublishedLock.held(), settle) : refused();
    }

    /** Removes what was judged, if it still is what it was. */
    private boolean isGone(ObservedFile stale) throws IOException {
        ObservedFile again = sight();
        if (again == null) {
            return true;
        }
        if (!stalenessEvaluator.isStillToBeTaken(again, stale)) {
            return false;
        }
        try {
            return lockFileRemoval.aside(again) != LockFileRemoval.Outcome.OTHER;
        } catch (FileSystemException e) {
            lockFileRemoval.warn(
                    LockFileRemoval.Warning.NOT_REMOVED,
                    "the stale lock "
                            + paths.lock()
                            + " cannot be removed: "
                            + LockFileExceptions.why(e));
            return false;
        }
    }

    private Attempt refused() throws IOException {
        return new Attempt.Refused(status());
    }

    private Attempt settled(HeldLockFile heldLockFile, Duration time) throws IOException {
        boolean late = isLate(heldLockFile);
        if (time.isZero() && !late) {
            return new Attempt.Acquired(heldLockFile);
        }
        pause.of(time);
        try {
            if ((!late || refresh(heldLockFile).lost() == null) && owns(heldLockFile)) {
                return new Attempt.Acquired(heldLockFile);
            }
        } catch (IOException | RuntimeException e) {
            BestEffortCleanup.run(() -> release(heldLockFile));
            close(heldLockFile);
            throw e;
        }
        close(heldLockFile);
        return refused();
    }

    /** Whoever was stopped between dating its lock and publishing it may be stale to others. */
    private boolean isLate(HeldLockFile heldLockFile) {
        long beat = Math.max(1, config.heartbeatInterval().toSeconds());
        return seconds() - heldLockFile.holder().timestamp() > beat;
    }

    boolean owns(HeldLockFile heldLockFile) throws IOException {
        return heldLockFile.isSeenIn(sight());
    }

    /** What to say if {@link #owns} is false. */
    LockLostException lost(HeldLockFile heldLockFile) throws IOException {
        return lost(heldLockFile, sight());
    }

    private LockLostException lost(HeldLockFile heldLockFile, @Nullable ObservedFile seen) {
        LockLostException.Reason reason;
        if (seen == null) {
            reason = LockLostException.Reason.REMOVED;
        } else if (heldLockFile.hasIdentity(seen)) {
            reason = LockLostException.Reason.OVERWRITTEN;
        } else {
            reason = LockLostException.Reason.TAKEN_OVER;
        }
        return new LockLostException(reason, stalenessEvaluator.status(seen));
    }

    void close(HeldLockFile heldLockFile) {
        LockFileSystem.OwnFile file = heldLockFile.file();
        if (file != null) {
            BestEffortCleanup.run(file::close);
        }
    }

    /** Dates the lock anew, if it is still ours. */
    Ending refresh(HeldLockFile heldLockFile) throws IOException {
        LockFileSystem.OwnFile file = heldLockFile.file();
        if (file == null) {
            return Ending.GOOD;
        }
        LockFileSystem.Action<Ending> work =
                () -> {
                    ObservedFile before = sight();
                    if (!heldLockFile.isSeenIn(before)) {
                        return Ending.lost(lost(heldLockFile, before));
                    }
                    rewrite(heldLockFile, file, heldLockFile.stamped(seconds()));
                    ObservedFile after = sight();
                    return heldLockFile.isSeenIn(after)
                            ? Ending.GOOD
                            : Ending.lost(lost(heldLockFile, after));
                };
        // In place, through the open file: if somebody removed it, nobody is harmed.
        Optional<Ending> ending = lockFileRemoval.underSidecar(REFRESH_TIMEOUT, work);
        return ending.isPresent() ? ending.get() : work.run();
    }

    private static void rewrite(
            HeldLockFile heldLockFile, LockFileSystem.OwnFile file, byte[] content)
            throws IOException {
        heldLockFile.writing(content);
        file.rewrite(content);
        heldLockFile.written(content);
    }

    /** Removes the lock, if it is still ours. Does not close it. */
    Ending release(HeldLockFile heldLockFile) throws IOException {
        try {
            Optional<Ending> ending = remove(heldLockFile);
            return ending.isPresent()
                    ? ending.get()
                    : abandon(heldLockFile, "another process has " + paths.sidecar() + " for long");
        } catch (IOException e) {
            return abandon(heldLockFile, LockFileExceptions.why(e));
        }
    }

    /** Removes the file of a lock that was released before, if it is still there. */
    boolean removeLeft(HeldLockFile heldLockFile) throws IOException {
        return remove(heldLockFile).isPresent();
    }

    /** Empty, and nothing was done, if others had the sidecar all the time. */
    private Optional<Ending> remove(HeldLockFile heldLockFile) throws IOException {
        return lockFileRemoval.underSidecar(
                RELEASE_TIMEOUT,
                () -> {
                    ObservedFile seen = sight();
                    if (seen == null || !heldLockFile.isSeenIn(seen)) {
                        return Ending.lost(lost(heldLockFile, seen));
                    }
                    return lockFileRemoval.aside(seen) == LockFileRemoval.Outcome.DONE
                            ? Ending.GOOD
                            : Ending.lost(lost(heldLockFile));
                });
    }

    /**
     * For when the sidecar is not to be had: somebody may be about to remove a file, and must find
     * the one that was judged. So the name stays taken, by a lock that everybody finds stale.
     */
    private Ending abandon(HeldLockFile heldLockFile, String why) throws IOException {
        ObservedFile seen = sight();
        if (!heldLockFile.isSeenIn(seen)) {
            return Ending.lost(lost(heldLockFile, seen));
        }
        LockFileSystem.OwnFile file = heldLockFile.file();
        if (file == null) {
            throw new IOException(why);
        }
        rewrite(heldLockFile, file, heldLockFile.abandoned());
        config.onWarning()
                .accept(
                        paths.lock()
                                + " was released, but its file could not be removed: "
                                + why
                                + ". It is stale for everybody");
        return Ending.FILE_LEFT;
    }

    /** Removes what was made in place and not finished, if it is that. */
    void removeUnfinished(Predicate<ObservedFile> isOurs) throws IOException {
        lockFileRemoval.underSidecar(
                RELEASE_TIMEOUT,
                () -> {
                    ObservedFile seen = sight();
                    return seen != null
                            && isOurs.test(seen)
                            && lockFileRemoval.aside(seen) == LockFileRemoval.Outcome.DONE;
                });
    }

    /** See {@link LockCleaner#release}. */
    boolean release(ReleaseCredential releaseCredential) throws IOException {
        return lockCleaner.release(releaseCredential);
    }

    /** See {@link LockCleaner#forceRelease}. */
    boolean forceRelease() throws IOException {
        return lockCleaner.forceRelease();
    }

    /** See {@link LockCleaner#clean}. */
    boolean clean() throws IOException {
        return lockCleaner.clean();
    }
}
