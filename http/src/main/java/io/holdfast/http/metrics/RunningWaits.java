package io.holdfast.http.metrics;

import io.holdfast.driver.Driver;
import io.holdfast.engine.ResourceKind;

import java.util.stream.LongStream;
import java.util.stream.Stream;

/** How long those have waited so far who wait now; of very many, those who have waited longest. */
final class RunningWaits {
    /** How many are read of each shard and namespace, so that others hardly wait for it. */
    private static final int MOST = 500;

    private final long[] nanos;

    private RunningWaits(long[] nanos) {
        this.nanos = nanos;
    }

    static RunningWaits of(Driver driver, ResourceKind resourceKind) {
        return new RunningWaits(driver.waited(resourceKind, MOST));
    }

    static RunningWaits of(Driver driver) {
        return new RunningWaits(
                Stream.of(ResourceKind.values())
                        .flatMapToLong(
                                resourceKind -> LongStream.of(driver.waited(resourceKind, MOST)))
                        .toArray());
    }

    LongStream nanos() {
        return LongStream.of(nanos);
    }

    /** 0 if there is no wait. */
    long longestNanos() {
        return nanos().max().orElse(0);
    }
}
