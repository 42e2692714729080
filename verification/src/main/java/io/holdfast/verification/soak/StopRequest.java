package io.holdfast.verification.soak;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A request that the run end early. Thread-safe. */
final class StopRequest {
    private final CountDownLatch requested = new CountDownLatch(1);

    private volatile Runnable action = () -> {};

    void request() {
        requested.countDown();
        action.run();
    }

    /** Sets an action that runs when the stop is requested. Call it before that. */
    void whenRequested(Runnable action) {
        this.action = action;
    }

    boolean isRequested() {
        return requested.getCount() == 0;
    }

    /** Waits for the given time, or until the stop is requested. */
    void pause(Duration time) throws InterruptedException {
        var _ = requested.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }
}
