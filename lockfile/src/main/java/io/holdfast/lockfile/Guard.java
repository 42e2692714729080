package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

/**
 * A held lock. Ownership is this object, whichever thread has it. Close it to release; while it is
 * open a heartbeat keeps the lock fresh, so that nobody finds it stale, and looks whether it is
 * still ours. Safe for use by several threads.
 */
public final class Guard implements AutoCloseable {
    private static final int SOONER_AFTER_FAILURE = 4;
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LAST_RETRY = Duration.ofMinutes(10);

    private final LockFileOperations procedure;
    private final HeldLockFile heldLockFile;
    private boolean started;
    private boolean ended;
    private boolean thrown;
    private volatile @Nullable LockLostException lost;
    private @Nullable Future<?> nextBeat;

    Guard(LockFileOperations procedure, HeldLockFile heldLockFile) {
        this.procedure = procedure;
        this.heldLockFile = heldLockFile;
    }

    /** Begins what goes on in the background; without it nothing does. */
    Guard start() {
        started = true;
        LockFileConfig config = procedure.config();
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
            nextBeat =
                    BackgroundTasks.later(
                            delay.isNegative() ? Duration.ZERO : delay,
                            this::heartbeatAndReschedule);
        }
    }

    private void heartbeatAndReschedule() {
        Duration interval = procedure.config().heartbeatInterval();
        Duration next = interval.dividedBy(SOONER_AFTER_FAILURE);
        try {
            LockLostException found = refresh();
            if (found != null) {
                BackgroundTasks.run(() -> tell(found)); // it may take its time
            }
            next = interval;
        } catch (IOException e) {
            warnOfNoBeat(LockFileExceptions.why(e));
        } catch (RuntimeException | Error e) { // of a callback, or no thread to be had
            warnOfNoBeat(e.toString());
        } finally {
            schedule(next);
        }
    }

    private void warnOfNoBeat(String why) {
        warn("the lock " + path() + " was not refreshed: " + why);
    }

    void warn(String text) {
        procedure.config().onWarning().accept(text);
    }

    /** Refreshes the lock, or finds that it is lost and tells so. */
    void heartbeat() throws IOException {
        tell(refresh());
    }

    private synchronized @Nullable LockLostException refresh() throws IOException {
        if (ended) {
            return null;
        }
        LockLostException found = procedure.refresh(heldLockFile).lost();
        if (found != null) {
            end(found);
        }
        return found;
    }

    /** The lock file. */
    public Path path() {
        return procedure.path();
    }

    /** What the file named as the holder when the lock was taken. */
    public Holder holder() {
        return heldLockFile.holder();
    }

    /** What entitles whoever knows it to release this lock with {@link ReleaseCredential#nonce}. */
    public String nonce() {
        String nonce = heldLockFile.holder().nonce();
        if (nonce == null) {
            throw new IllegalStateException("every lock of ours has one");
        }
        return nonce;
    }

    /** When the lock was taken, in whole seconds. */
    public Instant acquired() {
        return Instant.ofEpochSecond(heldLockFile.holder().timestamp());
    }

    /** Looks at the file, now. False once the lock was released, detached or lost. */
    public boolean isStillOwner() {
        LockLostException found;
        synchronized (this) {
            if (ended) {
                return false;
            }
            try {
                if (procedure.owns(heldLockFile)) {
                    return true;
                }
                found = procedure.lost(heldLockFile);
            } catch (IOException e) {
                throw LockFileExceptions.translate(path(), e);
            }
            end(found);
        }
        tell(found);
        return false;
    }

    /**
     * Whether it was noticed that the lock was lost before it was released: by a heartbeat, by
     * {@link #isStillOwner} or by the release. Looks at nothing.
     */
    public boolean isLost() {
        return lost != null;
    }

    /**
     * Releases the lock. Does nothing the second time.
     *
     * @throws LockLostException if it was not ours any more; nothing was removed then
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
     * Releases the lock. If it was lost, that is told to {@code onLost}, not thrown.
     *
     * @throws LockFileException if the file system failed: the lock may still be there. It is tried
     *     again in the background; without success it grows stale
     */
    @Override
    public void close() {
        tell(end());
    }

    /** Tells nobody of a loss: who is told might want to end the JVM, which waits for us. */
    void closeAtExit() {
        end();
    }

    private synchronized @Nullable LockLostException end() {
        if (ended) {
            return null;
        }
        LockFileOperations.Ending ending =
                LockFileOperations.Ending.FILE_LEFT; // unless we hear otherwise
        try {
            ending = procedure.release(heldLockFile);
            return ending.lost();
        } catch (IOException e) {
            throw LockFileExceptions.translate(path(), e);
        } finally {
            end(ending.lost());
            if (started && ending.fileLeft()) {
                removeLater(FIRST_RETRY);
            }
        }
    }

    /** For those who take over nothing, and for when nothing at all could be done. */
    private void removeLater(Duration delay) {
        BackgroundTasks.later(
                delay,
                () -> {
                    try {
                        if (procedure.removeLeft(heldLockFile)) {
                            return;
                        }
                    } catch (IOException | RuntimeException e) {
                        // once more
                    }
                    if (delay.compareTo(LAST_RETRY) < 0) {
                        removeLater(delay.multipliedBy(2));
                    }
                });
    }

    /**
     * Leaves the lock held when this object, and this process, are gone: without heartbeat, until
     * somebody releases it with the {@link #nonce} or finds it stale.
     */
    public synchronized void detach() {
        if (!ended) {
            end(null);
        }
    }

    private void end(@Nullable LockLostException found) {
        ended = true;
        lost = found;
        if (nextBeat != null) {
            nextBeat.cancel(false);
        }
        ExitRelease.remove(this);
        procedure.close(heldLockFile);
    }

    /** Without our monitor: who is told may ask. */
    private void tell(@Nullable LockLostException found) {
        if (found == null) {
            return;
        }
        try {
            procedure.config().onLost().accept(found);
        } catch (RuntimeException e) {
            warn("onLost failed: " + e);
        }
    }

    @Override
    public String toString() {
        return path() + (isLost() ? " (lost)" : "");
    }
}
