package io.holdfast.cli.soak.cluster;

import java.util.concurrent.TimeUnit;

/** Whether, and how fast, what one node says reaches another. Thread-safe. */
final class NetworkDirection {
    private boolean blocked;
    private long delayMillis;

    synchronized void block() {
        blocked = true;
    }

    synchronized void delay(long millis) {
        delayMillis = millis;
    }

    synchronized void open() {
        blocked = false;
        delayMillis = 0;
        notifyAll();
    }

    /** Returns when what was just said may arrive. */
    void pass() throws InterruptedException {
        long delay;
        synchronized (this) {
            delay = delayMillis;
        }
        if (delay > 0) {
            TimeUnit.MILLISECONDS.sleep(delay);
        }
        synchronized (this) {
            while (blocked) {
                wait();
            }
        }
    }
}
