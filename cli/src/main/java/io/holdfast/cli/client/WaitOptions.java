package io.holdfast.cli.client;

import io.holdfast.cli.options.DurationConverter;
import io.holdfast.cli.options.ExitStatusConverter;
import io.holdfast.client.Hold;
import io.holdfast.client.HoldfastLock;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.Optional;

/** How long to wait, and what to say if that was not long enough. */
final class WaitOptions {
    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Wait no longer than this (for ever). 0 is one attempt.")
    private @Nullable Duration timeout;

    @Option(
            names = "--conflict-exit-code",
            paramLabel = "N",
            converter = ExitStatusConverter.class,
            defaultValue = "1",
            description = "The exit status if it was not obtained in time (1).")
    private int conflictStatus;

    Optional<Hold> acquire(HoldfastLock lock) throws InterruptedException {
        if (timeout == null) {
            return Optional.of(lock.acquire());
        }
        return lock.tryAcquire(timeout); // unlike tryAcquire() a signal ends it
    }

    int conflictStatus() {
        return conflictStatus;
    }
}
