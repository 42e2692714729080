package io.holdfast.verification.campaign;

import java.util.concurrent.TimeUnit;

/** Whether, and with what delay, traffic from one node reaches another. Thread-safe. */
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

    /** Blocks until data that has just been sent may be delivered. */
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
