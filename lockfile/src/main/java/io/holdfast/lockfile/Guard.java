package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

/**
 * A held lock. It belongs to this object, not to a thread. Closing it releases the lock. While it
 * is open, a heartbeat refreshes the timestamp of the lock file, so that the lock does not become
 * stale, and checks whether the lock is still held. Thread-safe.
 */
public final class Guard implements AutoCloseable {
    private static final int RETRY_DIVISOR = 4;
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LAST_RETRY = Duration.ofMinutes(10);

    private final LockFileOperations operations;
    private final HeldLockFile heldLockFile;

    // The fields below are guarded by this; lost is volatile, too, since isLost reads it without
    // the
    // lock. No @GuardedBy: this type is public, and the compilers of its users, who do not have the
    // annotation, would warn.
    private boolean started;
    private boolean ended;
    private boolean thrown;
    private volatile @Nullable LockLostException lost;
    private @Nullable Future<?> nextHeartbeat;

    Guard(LockFileOperations operations, HeldLockFile heldLockFile) {
        this.operations = operations;
        this.heldLockFile = heldLockFile;
    }

    /**
     * Starts the heartbeat and registers the lock for release at exit; without this call there is
     * neither.
     */
    synchronized Guard start() {
        started = true;
        LockFileConfig config = operations.config();
        if (config.releaseOnExit()) {
            ExitRelease.add(this);
        }
        if (config.heartbeat() && heldLockFile.file() != null) {
            Duration sinceStamp = Duration.ofNanos(System.nanoTime() - heldLockFile.stampedNanos());
            schedule(config.heartbeatInterval().minus(sinceStamp));
        }
        return this;
    }

    private synchronized void schedule(Duration delay) {
        if (!ended) {
            nextHeartbeat =
                    BackgroundTasks.later(
                            delay.isNegative() ? Duration.ZERO : delay,
                            this::heartbeatAndReschedule);
        }
    }

    private void heartbeatAndReschedule() {
        Duration interval = operations.config().heartbeatInterval();
        Duration next = interval.dividedBy(RETRY_DIVISOR);
        try {
            LockLostException found = refresh();
            if (found != null) {
                BackgroundTasks.run(() -> notifyLost(found)); // the callback may block
            }
            next = interval;
        } catch (IOException e) {
            warnNotRefreshed(LockFileExceptions.reason(e));
        } catch (RuntimeException | Error e) { // of a callback, or no thread can be created
            warnNotRefreshed(e.toString());
        } finally {
            schedule(next);
        }
    }

    private void warnNotRefreshed(String why) {
        warn("could not refresh the lock " + path() + "; retrying: " + why);
    }

    void warn(String text) {
        operations.config().onWarning().accept(text);
    }

    /** Refreshes the lock, or calls {@code onLost} if it finds that the lock is lost. */
    void heartbeat() throws IOException {
        notifyLost(refresh());
    }

    private synchronized @Nullable LockLostException refresh() throws IOException {
        if (ended) {
            return null;
        }
        LockLostException found = operations.refresh(heldLockFile).lost();
        if (found != null) {
            end(found);
        }
        return found;
    }

    /** The lock file. */
    public Path path() {
        return operations.path();
    }

    /** The holder, as it was written into the file when the lock was acquired. */
    public Holder holder() {
        return heldLockFile.holder();
    }

    /**
     * The secret of this acquisition: with it, the lock can be released by {@link
     * ReleaseCredential#nonce}.
     */
    public String nonce() {
        String nonce = heldLockFile.holder().nonce();
        if (nonce == null) {
            throw new IllegalStateException("a lock that was acquired here has a nonce");
        }
        return nonce;
    }

    /** When the lock was acquired, in whole seconds. */
    public Instant acquired() {
        return Instant.ofEpochSecond(heldLockFile.holder().timestamp());
    }

    /** Reads the file and compares it. False once the lock was released, detached or lost. */
    public boolean isStillOwner() {
        LockLostException found;
        synchronized (this) {
            if (ended) {
                return false;
            }
            try {
                if (operations.owns(heldLockFile)) {
                    return true;
                }
                found = operations.lost(heldLockFile);
            } catch (IOException e) {
                throw LockFileExceptions.translate(path(), e);
            }
            end(found);
        }
        notifyLost(found);
        return false;
    }

    /**
     * Whether a heartbeat, {@link #isStillOwner} or the release has found that the lock was lost.
     * Does not access the file.
     */
    public boolean isLost() {
        return lost != null;
    }

    /**
     * Releases the lock. A second call does nothing.
     *
     * @throws LockLostException if the lock was lost before; then nothing was removed
     */
    public void release() {
        close();
        LockLostException found;
        synchronized (this) {
            found = thrown ? null : lost;
            thrown = true;
        }
        if (found != null) {
            throw found;
        }
    }

    /**
     * Releases the lock. If it was lost, {@code onLost} is called and nothing is thrown.
     *
     * @throws LockFileException if the file system failed: the lock file may still be there. The
     *     removal is retried in the background; if that fails too, the lock becomes stale
     */
    @Override
    public void close() {
        notifyLost(end());
    }

    /**
     * Releases without calling {@code onLost}: a callback that calls {@code System.exit} would wait
     * for the shutdown, which waits for this release.
     */
    void closeAtExit() {
        end();
    }

    private synchronized @Nullable LockLostException end() {
        if (ended) {
            return null;
        }
        LockFileOperations.Ending ending =
                LockFileOperations.Ending.FILE_LEFT; // if release() throws
        try {
            ending = operations.release(heldLockFile);
            return ending.lost();
        } catch (IOException e) {
            throw LockFileExceptions.translate(path(), e);
        } finally {
            end(ending.lost());
            if (started && ending.fileLeft()) {
                retryRemoval(FIRST_RETRY);
            }
        }
    }

    /**
     * Retries to remove a released lock file, with doubled delays. Programs that never take over a
     * stale lock depend on it.
     */
    private void retryRemoval(Duration delay) {
        BackgroundTasks.later(
                delay,
                () -> {
                    try {
                        if (operations.removeLeft(heldLockFile)) {
                            return;
                        }
                    } catch (IOException | RuntimeException e) {
                        // retried below
                    }
                    if (delay.compareTo(LAST_RETRY) < 0) {
                        retryRemoval(delay.multipliedBy(2));
                    }
                });
    }

    /**
     * Leaves the lock held after the end of this object and of this process. There are no more
     * heartbeats; the lock is held until it is released with the {@link #nonce} or taken over as
     * stale.
     */
    public synchronized void detach() {
        if (!ended) {
            end(null);
        }
    }

    private void end(@Nullable LockLostException found) {
        ended = true;
        lost = found;
        if (nextHeartbeat != null) {
            nextHeartbeat.cancel(false);
        }
        ExitRelease.remove(this);
        operations.close(heldLockFile);
    }

    /** Called without this object's monitor: the callback may call this guard. */
    private void notifyLost(@Nullable LockLostException found) {
        if (found == null) {
            return;
        }
        try {
            operations.config().onLost().accept(found);
        } catch (RuntimeException e) {
            warn("onLost failed: " + e);
        }
    }

    @Override
    public String toString() {
        return path() + (isLost() ? " (lost)" : "");
    }
}
