package io.holdfast.http.metrics;

import io.holdfast.driver.Driver;
import io.holdfast.engine.ResourceKind;

import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The durations so far of the current waits; of very many waits, those that have lasted longest.
 */
final class RunningWaits {
    /**
     * Maximum number of waits that are read per shard and namespace, so that the scan hardly delays
     * other commands.
     */
    private static final int MAX_WAITS = 500;

    private final long[] nanos;

    private RunningWaits(long[] nanos) {
        this.nanos = nanos;
    }

    static RunningWaits of(Driver driver, ResourceKind resourceKind) {
        return new RunningWaits(driver.queries().waited(resourceKind, MAX_WAITS));
    }

    static RunningWaits of(Driver driver) {
        return new RunningWaits(
                Stream.of(ResourceKind.values())
                        .flatMapToLong(
                                resourceKind ->
                                        LongStream.of(
                                                driver.queries().waited(resourceKind, MAX_WAITS)))
                        .toArray());
    }

    LongStream nanos() {
        return LongStream.of(nanos);
    }

    /** 0 if there are no waits. */
    long longestNanos() {
        return nanos().max().orElse(0);
    }
}
