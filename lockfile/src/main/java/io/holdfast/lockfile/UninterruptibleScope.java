package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps interrupts away from a piece of work, which they would cut short, and passes them on after
 * it.
 */
final class UninterruptibleScope implements AutoCloseable {
    private static final Duration MAX_PAUSE = Duration.ofDays(1);

    private boolean interrupted = Thread.interrupted();

    /**
     * Does it again, where no interrupt comes, if one closed the channel in use. So what is to be
     * done must clear up after such a failure.
     */
    <T> T call(LockFileSystem.Action<T> action) throws IOException {
        try {
            return action.run();
        } catch (ClosedByInterruptException e) {
            interrupted |= Thread.interrupted();
            return BackgroundTasks.call(action);
        }
    }

    /** May end early. */
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
