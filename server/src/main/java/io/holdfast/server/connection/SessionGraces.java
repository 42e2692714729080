package io.holdfast.server.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Decides how long sessions may outlive their connections. */
@FunctionalInterface
public interface SessionGraces {
    /**
     * Grants a grace for a session, in nanoseconds; it may be shorter than requested. Completed
     * when the client may rely on it.
     */
    CompletableFuture<Long> grant(long requestedNanos);

    /** Grants the requested grace at once, up to a maximum. */
    static SessionGraces upTo(Duration max) {
        long maxNanos = ConnectionService.nanos(max);
        return requested -> CompletableFuture.completedFuture(Math.min(requested, maxNanos));
    }
}
