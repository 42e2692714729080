package io.holdfast.socketlock;

import java.util.concurrent.CountDownLatch;

/** A latch whose wait is not ended by an interrupt; the interrupt flag is restored after it. */
final class UninterruptibleLatch {
    private final CountDownLatch latch = new CountDownLatch(1);

    void open() {
        latch.countDown();
    }

    void await() {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
