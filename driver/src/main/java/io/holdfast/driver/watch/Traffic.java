package io.holdfast.driver.watch;

import java.util.concurrent.atomic.LongAdder;

/** Bytes that came and went with one protocol. */
public final class Traffic {
    private final LongAdder received = new LongAdder();
    private final LongAdder sent = new LongAdder();

    public void receive(long bytes) {
        received.add(bytes);
    }

    public void send(long bytes) {
        sent.add(bytes);
    }

    public long received() {
        return received.sum();
    }

    public long sent() {
        return sent.sum();
    }
}
