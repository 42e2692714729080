package io.holdfast.server.socketlock;

import java.time.Duration;

/**
 * The times of one listener.
 *
 * @param request how long a request may wait
 * @param confirm how long an offer may
 * @param maxTtl the most that a client may ask for; zero is no bound
 */
public record SocketlockTimeouts(Duration request, Duration confirm, Duration maxTtl) {}
