package io.holdfast.client.socketlock;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import java.time.Duration;

/** Waiting for what comes soon, with a deadline for machines that are busy. */
final class Eventually {
    private static final Duration LOOK = Duration.ofMillis(5);
    private static final Duration MOST = Duration.ofSeconds(60);

    private Eventually() {}

    static ConditionFactory await() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(LOOK).atMost(MOST);
    }
}
