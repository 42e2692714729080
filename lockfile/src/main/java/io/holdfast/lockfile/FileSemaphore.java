package io.holdfast.lockfile;

import io.holdfast.lockfile.LockFileOperations.Attempt;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A lock that one process, or one thread, at a time can hold: the file at a path. It is exclusive,
 * unfair and not re-entrant. Thread-safe.
 *
 * <pre>{@code
 * FileSemaphore semaphore = FileSemaphore.at(Path.of("/run/lock/backup.lock"));
 * try (Guard guard = semaphore.acquire(Duration.ofSeconds(10))) {
 *     // no other process or thread holds the lock
 * }
 * }</pre>
 */
public final class FileSemaphore {
    private static final LockFileOperations.Pause PAUSE = FileSemaphore::pause;

    private final LockPaths paths;
    private final LockFileConfig config;
    private final LockFileOperations operations;

    FileSemaphore(LockPaths paths, LockFileConfig config, LockFileOperations operations) {
        this.paths = paths;
        this.config = config;
        this.operations = operations;
    }

    /** A lock at the path, with the default settings. */
    public static FileSemaphore at(Path path) {
        return at(path, LockFileConfig.defaults());
    }

    /**
     * A lock at the path, with the given settings.
     *
     * @throws LockPathException if the folder is missing or the name is not allowed
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

    /** The lock file, in its resolved folder. */
    public Path path() {
        return paths.lock();
    }

    /** Tries once to acquire the lock, with the tag of the settings; empty if the lock is held. */
    public Optional<Guard> tryAcquire() {
        return tryAcquire(config.tag().orElse(null));
    }

    /** Tries once to acquire the lock; empty if the lock is held. */
    public Optional<Guard> tryAcquire(@Nullable String tag) {
        return attempt(tag) instanceof Attempt.Acquired acquired
                ? Optional.of(guard(acquired))
                : Optional.empty();
    }

    /**
     * Tries once to acquire the lock, with the tag of the settings.
     *
     * @throws HeldException if the lock is held; it names the holder
     */
    public Guard acquireNow() {
        Attempt attempt = attempt(config.tag().orElse(null));
        if (attempt instanceof Attempt.Refused refused) {
            throw new HeldException(refused.status());
        }
        return guard((Attempt.Acquired) attempt);
    }

    /** Waits for the lock for the acquire timeout of the settings. */
    public Guard acquire() throws InterruptedException {
        return waitFor(config.tag().orElse(null), config.acquireTimeout().orElse(null));
    }

    /**
     * Waits for the lock, with the tag of the settings.
     *
     * @param timeout how long to wait; zero for a single attempt
     * @throws LockFileTimeoutException if the lock was not acquired within the timeout
     */
    public Guard acquire(Duration timeout) throws InterruptedException {
        return waitFor(config.tag().orElse(null), timeout);
    }

    /** Waits for the lock, with the given tag; null for none. */
    public Guard acquire(@Nullable String tag, Duration timeout) throws InterruptedException {
        return waitFor(tag, timeout);
    }

    /**
     * Waits until the lock is free or may be taken over, without acquiring it.
     *
     * @param timeout null for no timeout
     * @return the lock as last observed: not {@link LockFileStatus#isObtainable} after a timeout
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

    /** The state of the lock; changes nothing. */
    public LockFileStatus status() {
        return translated(operations::status);
    }

    public boolean isLocked() {
        return status().isLocked();
    }

    /**
     * Removes the lock if it is stale, and helper files that are older than an hour.
     *
     * @return whether anything was removed
     */
    public boolean clean() {
        return translated(operations::clean);
    }

    /**
     * Releases a lock without its guard.
     *
     * @return false if it was free
     * @throws CredentialMismatchException if the credential is for another lock than this
     * @throws DamagedLockException if what is at the path names no holder
     */
    public boolean release(ReleaseCredential releaseCredential) {
        return translated(() -> operations.release(releaseCredential));
    }

    /**
     * Removes any file or symbolic link at the path, but not the target of a link.
     *
     * @return false if there was nothing
     * @throws DamagedLockException if it is a folder, or anything else but a file or link
     */
    public boolean forceRelease() {
        return translated(operations::forceRelease);
    }

    private Guard waitFor(@Nullable String tag, @Nullable Duration timeout)
            throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        var retrySchedule = new RetrySchedule(config.retryInterval(), timeout);
        Attempt attempt = attempt(tag);
        if (attempt instanceof Attempt.Refused && !retrySchedule.isOver()) {
            // Try again under the watch: the lock may have been released before the watch began.
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
        return translated(() -> operations.attempt(tag));
    }

    private Guard guard(Attempt.Acquired acquired) {
        var guard = new Guard(operations, acquired.held());
        try {
            return guard.start();
        } catch (RuntimeException | Error e) { // no thread can be created
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
