package io.holdfast.server.socketlock;

import java.time.Duration;

/**
 * The timeouts of one listener.
 *
 * @param request how long a request may be queued
 * @param confirm how long an offer may wait for its confirmation
 * @param maxTtl the maximum TTL that a client may request; zero is no limit
 */
public record SocketlockTimeouts(Duration request, Duration confirm, Duration maxTtl) {}
