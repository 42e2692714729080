package io.holdfast.socketlock;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import java.time.Duration;

/** Waits for a condition, with a deadline that suits busy machines. */
final class Eventually {
    private static final Duration LOOK = Duration.ofMillis(5);
    private static final Duration MOST = Duration.ofSeconds(60);

    private Eventually() {}

    static ConditionFactory await() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(LOOK).atMost(MOST);
    }
}
