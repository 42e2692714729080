package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Creates, refreshes and removes a lock file.
 *
 * <p>A lock file is published, with its complete content, by an operation that fails if the name
 * exists. It is removed while holding the file lock of the sidecar, the file {@code NAME.guard}.
 * Between the last check and the removal the name exists, so no process can create a new file
 * there, and every process that could remove the old file needs the sidecar. Hence the file that is
 * removed is the file that was checked. Programs that do not use the sidecar are detected: the file
 * is renamed, compared once more, and put back if it is another one.
 */
final class LockFileOperations {
    /** The result of one attempt to acquire. */
    sealed interface Attempt {
        record Acquired(HeldLockFile held) implements Attempt {}

        record Refused(LockFileStatus status) implements Attempt {}
    }

    /**
     * The result of a release or a heartbeat.
     *
     * @param lost null if the lock was still held
     * @param fileLeft whether the lock was released but its file is still there
     */
    record Ending(@Nullable LockLostException lost, boolean fileLeft) {
        static final Ending GOOD = new Ending(null, false);
        static final Ending FILE_LEFT = new Ending(null, true);

        static Ending lost(LockLostException lost) {
            return new Ending(lost, false);
        }
    }

    /** Waits for about the given time. */
    interface Pause {
        void of(Duration time);
    }

    private static final int MAX_ATTEMPTS = 3;
    private static final Duration NO_WAIT = Duration.ZERO;
    static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration REFRESH_TIMEOUT = Duration.ofMillis(100);

    /**
     * The minimum settle time after a takeover without the sidecar: long enough to detect most
     * concurrent takeovers.
     */
    private static final Duration MIN_SETTLE_WITHOUT_SIDECAR = Duration.ofMillis(50);

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
        return stalenessEvaluator.status(observe());
    }

    private @Nullable LockFileObservation observe() throws IOException {
        return LockFileObservation.of(lockFileSystem, paths.lock());
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
            for (int attempts = 1; ; attempts++) {
                LockFileObservation observed = observe();
                if (attempts > MAX_ATTEMPTS
                        || (observed != null && !stalenessEvaluator.mayBeTakenOver(observed))) {
                    return new Attempt.Refused(stalenessEvaluator.status(observed));
                }
                if (unpublishedLock == null) {
                    unpublishedLock = unpublished(tag, links);
                }
                if (observed != null) {
                    return takeOver(observed, unpublishedLock);
                }
                if (unpublishedLock.publish()) {
                    return confirmAfterSettleTime(unpublishedLock.held(), config.settleTime());
                }
            }
        } finally {
            if (unpublishedLock != null) {
                unpublishedLock.discard();
            }
        }
    }

    private UnpublishedLock unpublished(@Nullable String tag, boolean links) throws IOException {
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

    private Attempt takeOver(LockFileObservation stale, UnpublishedLock unpublishedLock)
            throws IOException {
        LockFileSystem.Action<Boolean> work = () -> removeStale(stale) && unpublishedLock.publish();
        Duration settle = config.settleTime();
        boolean published;
        try {
            published = lockFileSystem.locked(paths.sidecar(), NO_WAIT, work).orElse(false);
        } catch (LockFileSystem.NoSidecarException e) {
            lockFileRemoval.warnOfNoSidecar(e);
            published = work.run();
            settle =
                    settle.compareTo(MIN_SETTLE_WITHOUT_SIDECAR) < 0
                            ? MIN_SETTLE_WITHOUT_SIDECAR
                            : settle;
        } catch (IOException | RuntimeException e) {
            if (unpublishedLock
                    .published) { // failed after publishing: no guard will be returned, so release
                BestEffortCleanup.run(() -> release(unpublishedLock.held()));
                close(unpublishedLock.held());
            }
            throw e;
        }
        return published ? confirmAfterSettleTime(unpublishedLock.held(), settle) : refused();
    }

    /** Removes the stale lock file if it is unchanged; returns whether the name is free now. */
    private boolean removeStale(LockFileObservation stale) throws IOException {
        LockFileObservation again = observe();
        if (again == null) {
            return true;
        }
        if (!stalenessEvaluator.mayStillBeTakenOver(again, stale)) {
            return false;
        }
        try {
            return lockFileRemoval.removeIfSame(again) != LockFileRemoval.Outcome.OTHER;
        } catch (FileSystemException e) {
            lockFileRemoval.warn(
                    LockFileRemoval.Warning.NOT_REMOVED,
                    "the stale lock "
                            + paths.lock()
                            + " could not be removed: "
                            + LockFileExceptions.reason(e));
            return false;
        }
    }

    private Attempt refused() throws IOException {
        return new Attempt.Refused(status());
    }

    private Attempt confirmAfterSettleTime(HeldLockFile heldLockFile, Duration time)
            throws IOException {
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

    /**
     * Whether the timestamp is already old, because this process was suspended between taking it
     * and publishing the lock: others may find the lock stale.
     */
    private boolean isLate(HeldLockFile heldLockFile) {
        long intervalSeconds = Math.max(1, config.heartbeatInterval().toSeconds());
        return seconds() - heldLockFile.holder().timestamp() > intervalSeconds;
    }

    boolean owns(HeldLockFile heldLockFile) throws IOException {
        return heldLockFile.matches(observe());
    }

    /** The exception to report if {@link #owns} is false. */
    LockLostException lost(HeldLockFile heldLockFile) throws IOException {
        return lost(heldLockFile, observe());
    }

    private LockLostException lost(
            HeldLockFile heldLockFile, @Nullable LockFileObservation observed) {
        LockLostException.Reason reason;
        if (observed == null) {
            reason = LockLostException.Reason.REMOVED;
        } else if (heldLockFile.hasIdentity(observed)) {
            reason = LockLostException.Reason.OVERWRITTEN;
        } else {
            reason = LockLostException.Reason.TAKEN_OVER;
        }
        return new LockLostException(reason, stalenessEvaluator.status(observed));
    }

    void close(HeldLockFile heldLockFile) {
        LockFileSystem.OwnFile file = heldLockFile.file();
        if (file != null) {
            BestEffortCleanup.run(file::close);
        }
    }

    /** Writes a new timestamp, if the lock is still held. */
    Ending refresh(HeldLockFile heldLockFile) throws IOException {
        LockFileSystem.OwnFile file = heldLockFile.file();
        if (file == null) {
            return Ending.GOOD;
        }
        LockFileSystem.Action<Ending> work =
                () -> {
                    LockFileObservation before = observe();
                    if (!heldLockFile.matches(before)) {
                        return Ending.lost(lost(heldLockFile, before));
                    }
                    rewrite(heldLockFile, file, heldLockFile.stamped(seconds()));
                    LockFileObservation after = observe();
                    return heldLockFile.matches(after)
                            ? Ending.GOOD
                            : Ending.lost(lost(heldLockFile, after));
                };
        // Written in place through the open channel: if the file was removed meanwhile, the write
        // changes no other file.
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

    /** Removes the lock file, if the lock is still held. Does not close its channel. */
    Ending release(HeldLockFile heldLockFile) throws IOException {
        try {
            Optional<Ending> ending = remove(heldLockFile);
            return ending.isPresent()
                    ? ending.get()
                    : abandon(
                            heldLockFile,
                            "another process has had "
                                    + paths.sidecar()
                                    + " locked for over "
                                    + RELEASE_TIMEOUT.toSeconds()
                                    + " s");
        } catch (IOException e) {
            return abandon(heldLockFile, LockFileExceptions.reason(e));
        }
    }

    /**
     * Removes the file of a lock that was released before, if it is still there; returns whether
     * nothing is left to do.
     */
    boolean removeLeft(HeldLockFile heldLockFile) throws IOException {
        return remove(heldLockFile).isPresent();
    }

    /** Removes the file; empty, without any change, if the sidecar could not be locked in time. */
    private Optional<Ending> remove(HeldLockFile heldLockFile) throws IOException {
        return lockFileRemoval.underSidecar(
                RELEASE_TIMEOUT,
                () -> {
                    LockFileObservation observed = observe();
                    if (observed == null || !heldLockFile.matches(observed)) {
                        return Ending.lost(lost(heldLockFile, observed));
                    }
                    return lockFileRemoval.removeIfSame(observed) == LockFileRemoval.Outcome.DONE
                            ? Ending.GOOD
                            : Ending.lost(lost(heldLockFile));
                });
    }

    /**
     * Releases the lock without removing its file, when the sidecar cannot be locked. Another
     * process may be about to remove the file that it has checked, so the name must not become
     * free. The content is overwritten with one that is stale for every user.
     */
    private Ending abandon(HeldLockFile heldLockFile, String reason) throws IOException {
        LockFileObservation observed = observe();
        if (!heldLockFile.matches(observed)) {
            return Ending.lost(lost(heldLockFile, observed));
        }
        LockFileSystem.OwnFile file = heldLockFile.file();
        if (file == null) {
            throw new IOException(reason);
        }
        rewrite(heldLockFile, file, heldLockFile.abandoned());
        config.onWarning()
                .accept(
                        paths.lock()
                                + " was released, but its file could not be removed: "
                                + reason
                                + ". Others may take it over at once; the removal is retried");
        return Ending.FILE_LEFT;
    }

    /** Removes a file that was created in place and not completed, if it passes the test. */
    void removeUnfinished(Predicate<LockFileObservation> isOurs) throws IOException {
        lockFileRemoval.underSidecar(
                RELEASE_TIMEOUT,
                () -> {
                    LockFileObservation observed = observe();
                    return observed != null
                            && isOurs.test(observed)
                            && lockFileRemoval.removeIfSame(observed)
                                    == LockFileRemoval.Outcome.DONE;
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
