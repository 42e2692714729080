package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Clears the interrupt status of the thread during an operation that an interrupt would abort, and
 * restores it afterwards.
 */
final class UninterruptibleScope implements AutoCloseable {
    private static final Duration MAX_PAUSE = Duration.ofDays(1);

    private boolean interrupted = Thread.interrupted();

    /**
     * Runs the action; if an interrupt closed the channel in use, runs it again in a thread that is
     * not interrupted. So the action must clean up after such a failure.
     */
    <T> T call(LockFileSystem.Action<T> action) throws IOException {
        try {
            return action.run();
        } catch (ClosedByInterruptException e) {
            interrupted |= Thread.interrupted();
            return BackgroundTasks.call(action);
        }
    }

    /** Waits for up to the given time. */
    void pause(Duration time) {
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos((time.compareTo(MAX_PAUSE) < 0 ? time : MAX_PAUSE).toNanos());
    }

    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
