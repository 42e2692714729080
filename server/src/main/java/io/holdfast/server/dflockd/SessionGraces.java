package io.holdfast.server.dflockd;

import io.holdfast.server.connection.ConnectionService;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Decides how long sessions may outlive their connections. */
@FunctionalInterface
public interface SessionGraces {
    /**
     * The grace of a session that wants this one, in nanoseconds; it may be shorter. Completed when
     * it may be promised.
     */
    CompletableFuture<Long> grant(long wantedNanos);

    /** Grants at once what is wanted, up to a maximum. */
    static SessionGraces upTo(Duration most) {
        long mostNanos = ConnectionService.nanos(most);
        return wanted -> CompletableFuture.completedFuture(Math.min(wanted, mostNanos));
    }
}
