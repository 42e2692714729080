package io.holdfast.client.socketlock;

import java.util.concurrent.CountDownLatch;

/** Lets a thread wait for another even while it is interrupted, and keeps its flag. */
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
