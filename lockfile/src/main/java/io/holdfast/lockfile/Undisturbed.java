package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps interrupts away from a piece of work, which they would cut short, and passes them on after
 * it.
 */
final class Undisturbed implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofDays(1);

    private boolean interrupted = Thread.interrupted();

    /** Does it again if an interrupt closed the channel in use. */
    <T> T call(Disk.Action<T> action) throws IOException {
        while (true) {
            try {
                return action.run();
            } catch (ClosedByInterruptException e) {
                interrupted |= Thread.interrupted();
            }
        }
    }

    /** May end early. */
    void pause(Duration time) {
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos((time.compareTo(LONGEST) < 0 ? time : LONGEST).toNanos());
    }

    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
