package io.holdfast.cli.soak;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The wish, from any thread, that a run should end soon. */
final class StopRequest {
    private final CountDownLatch requested = new CountDownLatch(1);

    private volatile Runnable then = () -> {};

    void request() {
        requested.countDown();
        then.run();
    }

    /** Has it done as soon as the request comes. To be called before. */
    void whenRequested(Runnable action) {
        then = action;
    }

    boolean isRequested() {
        return requested.getCount() == 0;
    }

    /** Waits, but no longer than until the request comes. */
    void pause(Duration time) throws InterruptedException {
        var _ = requested.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }
}
