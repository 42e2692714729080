package io.holdfast.lockfile;

import io.holdfast.lockfile.LockFileOperations.Attempt;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A lock that one process, or one thread, at a time can hold: the file at a path. Not counted, not
 * shared, not fair, not re-entrant. Safe for use by several threads.
 *
 * <pre>{@code
 * FileSemaphore semaphore = FileSemaphore.at(Path.of("/run/lock/backup.lock"));
 * try (Guard guard = semaphore.acquire(Duration.ofSeconds(10))) {
 *     // nobody else is here
 * }
 * }</pre>
 */
public final class FileSemaphore {
    private static final LockFileOperations.Pause PAUSE = FileSemaphore::pause;

    private final LockPaths paths;
    private final LockFileConfig config;
    private final LockFileOperations procedure;

    FileSemaphore(LockPaths paths, LockFileConfig config, LockFileOperations procedure) {
        this.paths = paths;
        this.config = config;
        this.procedure = procedure;
    }

    /** With the default settings. */
    public static FileSemaphore at(Path path) {
        return at(path, LockFileConfig.defaults());
    }

    /**
     * With other settings.
     *
     * @throws LockPathException if the folder is missing or the name will not do
     */
    public static FileSemaphore at(Path path, LockFileConfig config) {
        return at(path, config, FileSystemCapabilities.here());
    }

    static FileSemaphore at(
            Path path, LockFileConfig config, FileSystemCapabilities fileSystemCapabilities) {
        LockPaths paths = LockPaths.of(path, config.followLinks());
        SharedFolderWarning.check(paths.folder(), config.onWarning());
        return new FileSemaphore(
                paths,
                config,
                new LockFileOperations(
                        LocalLockFileSystem.INSTANCE,
                        paths,
                        config,
                        fileSystemCapabilities,
                        PAUSE));
    }

    /** The lock file; its folder is resolved. */
    public Path path() {
        return paths.lock();
    }

    /** One attempt, with the tag of the settings. */
    public Optional<Guard> tryAcquire() {
        return tryAcquire(config.tag().orElse(null));
    }

    /** One attempt; empty if the lock is held. */
    public Optional<Guard> tryAcquire(@Nullable String tag) {
        return attempt(tag) instanceof Attempt.Acquired acquired
                ? Optional.of(guard(acquired))
                : Optional.empty();
    }

    /**
     * One attempt.
     *
     * @throws HeldException if the lock is held; it says by whom
     */
    public Guard acquireNow() {
        Attempt attempt = attempt(config.tag().orElse(null));
        if (attempt instanceof Attempt.Refused refused) {
            throw new HeldException(refused.status());
        }
        return guard((Attempt.Acquired) attempt);
    }

    /** Waits as long as the settings say. */
    public Guard acquire() throws InterruptedException {
        return waitFor(config.tag().orElse(null), config.acquireTimeout().orElse(null));
    }

    /**
     * Waits, at most so long.
     *
     * @throws LockFileTimeoutException if the lock did not come free in time; after one attempt if
     *     the timeout is zero
     */
    public Guard acquire(Duration timeout) throws InterruptedException {
        return waitFor(config.tag().orElse(null), timeout);
    }

    /** Waits with a tag of its own; null for none. */
    public Guard acquire(@Nullable String tag, Duration timeout) throws InterruptedException {
        return waitFor(tag, timeout);
    }

    /**
     * Waits until the lock is free, or stale, and takes nothing.
     *
     * @param timeout null for ever
     * @return the lock as it was found at the end: not {@link LockFileStatus#isObtainable} if time
     *     ran out
     */
    public LockFileStatus waitUntilFree(@Nullable Duration timeout) throws InterruptedException {
        var retrySchedule = new RetrySchedule(config.retryInterval(), timeout);
        LockFileStatus lockFileStatus = status();
        if (lockFileStatus.isObtainable() || retrySchedule.isOver()) {
            return lockFileStatus;
        }
        try (var watch = DeletionWatch.on(paths.folder(), paths.name())) {
            while (true) {
                lockFileStatus = status();
                if (lockFileStatus.isObtainable() || retrySchedule.isOver()) {
                    return lockFileStatus;
                }
                watch.await(retrySchedule.next());
            }
        }
    }

    /** Looks, and changes nothing. */
    public LockFileStatus status() {
        return translated(procedure::status);
    }

    public boolean isLocked() {
        return status().isLocked();
    }

    /**
     * Removes the lock if it is stale, and helper files that somebody left an hour ago.
     *
     * @return whether anything was removed
     */
    public boolean clean() {
        return translated(procedure::clean);
    }

    /**
     * Releases a lock without its guard.
     *
     * @return false if it was free
     * @throws NotOwnerException if the proof is for another lock than this
     * @throws DamagedLockException if what is there does not say whose it is
     */
    public boolean release(ReleaseCredential releaseCredential) {
        return translated(() -> procedure.release(releaseCredential));
    }

    /**
     * Removes whatever file or symbolic link is at the path, and never what a link leads to.
     *
     * @return false if there was nothing
     * @throws DamagedLockException if it is a folder, or anything else that no lock could be
     */
    public boolean forceRelease() {
        return translated(procedure::forceRelease);
    }

    private Guard waitFor(@Nullable String tag, @Nullable Duration timeout)
            throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        var retrySchedule = new RetrySchedule(config.retryInterval(), timeout);
        Attempt attempt = attempt(tag);
        if (attempt instanceof Attempt.Refused && !retrySchedule.isOver()) {
            // Tried once more under watch: it may have been released before the watch began.
            try (var watch = DeletionWatch.on(paths.folder(), paths.name())) {
                attempt = attempt(tag);
                while (attempt instanceof Attempt.Refused && !retrySchedule.isOver()) {
                    watch.await(retrySchedule.next());
                    attempt = attempt(tag);
                }
            }
        }
        if (attempt instanceof Attempt.Refused refused) {
            throw new LockFileTimeoutException(
                    refused.status(), timeout == null ? Duration.ZERO : timeout);
        }
        return guard((Attempt.Acquired) attempt);
    }

    private Attempt attempt(@Nullable String tag) {
        return translated(() -> procedure.attempt(tag));
    }

    private Guard guard(Attempt.Acquired acquired) {
        var guard = new Guard(procedure, acquired.held());
        try {
            return guard.start();
        } catch (RuntimeException | Error e) { // no thread to be had
            guard.close();
            throw e;
        }
    }

    private <T> T translated(LockFileSystem.Action<T> action) {
        try {
            return action.run();
        } catch (IOException e) {
            throw LockFileExceptions.translate(path(), e);
        }
    }

    private static void pause(Duration time) {
        long start = System.nanoTime();
        try (var uninterruptibleScope = new UninterruptibleScope()) {
            for (Duration left = time;
                    !left.isNegative() && !left.isZero();
                    left = time.minusNanos(System.nanoTime() - start)) {
                uninterruptibleScope.pause(left);
            }
        }
    }
}
