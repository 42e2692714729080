package io.holdfast.cli.client;

import io.holdfast.client.Hold;
import io.holdfast.client.HoldfastLock;
import io.holdfast.console.options.DurationConverter;
import io.holdfast.console.options.ExitStatusConverter;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.Optional;

/** The timeout of an acquire, and the exit status if it passes. */
final class WaitOptions {
    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Timeout of the wait (default: no timeout). 0 is one attempt.")
    private @Nullable Duration timeout;

    @Option(
            names = "--conflict-exit-code",
            paramLabel = "N",
            converter = ExitStatusConverter.class,
            defaultValue = "1",
            description = "The exit status if the timeout passes (default: 1).")
    private int conflictStatus;

    Optional<Hold> acquire(HoldfastLock lock) throws InterruptedException {
        if (timeout == null) {
            return Optional.of(lock.acquire());
        }
        return lock.tryAcquire(
                timeout); // also for 0: unlike tryAcquire(), it can be interrupted by a signal
    }

    int conflictStatus() {
        return conflictStatus;
    }
}
