package io.holdfast.driver.monitor;

import java.util.concurrent.atomic.LongAdder;

/** The connections of one protocol, and the bytes received and sent. Thread-safe. */
public final class ProtocolTraffic {
    private final LongAdder received = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final LongAdder connections = new LongAdder();

    public void connected() {
        connections.increment();
    }

    public void disconnected() {
        connections.decrement();
    }

    /** The number of open connections. */
    public long connections() {
        return connections.sum();
    }

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
