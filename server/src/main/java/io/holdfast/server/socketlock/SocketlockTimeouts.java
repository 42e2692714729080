package io.holdfast.server.socketlock;

import java.time.Duration;

/**
 * The timeouts of one listener.
 *
 * @param request how long a request may be queued
 * @param confirm how long an offer may wait for its confirmation
 * @param maxTtl the maximum TTL that a client may request; zero is no limit
 */
public record SocketlockTimeouts(Duration request, Duration confirm, Duration maxTtl) {
    /** Timeout of a request and of an offer if none, or one that is not positive, is given. */
    private static final Duration DEFAULT_WAIT = Duration.ofSeconds(30);

    /**
     * As in the original, a timeout that is not positive means the default, and such a maximum TTL
     * unlimited.
     */
    public static SocketlockTimeouts of(Duration request, Duration confirm, Duration maxTtl) {
        return new SocketlockTimeouts(
                wait(request), wait(confirm), maxTtl.isPositive() ? maxTtl : Duration.ZERO);
    }

    private static Duration wait(Duration given) {
        return given.isPositive() ? given : DEFAULT_WAIT;
    }
}
