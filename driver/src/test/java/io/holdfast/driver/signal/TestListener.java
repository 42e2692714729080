package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** A listener for tests, which can be made full. */
final class TestListener implements SignalListener {
    private final String name;
    private final SignalHub hub;
    private Subscriber subscriber;
    private volatile boolean full;
    private int overruns;

    TestListener(String name, SignalHub hub) {
        this.name = name;
        this.hub = hub;
        this.subscriber = hub.open(this);
    }

    ListenOutcome listen(String pattern) {
        return listen(pattern, "");
    }

    ListenOutcome listen(String pattern, String group) {
        return listen(Key.of(pattern), group);
    }

    ListenOutcome listen(Key pattern, String group) {
        return subscriber.listen(pattern, ByteString.of(group));
    }

    void unlisten(String pattern) {
        unlisten(pattern, "");
    }

    void unlisten(String pattern, String group) {
        unlisten(Key.of(pattern), group);
    }

    void unlisten(Key pattern, String group) {
        subscriber.unlisten(pattern, ByteString.of(group));
    }

    boolean isSmall() {
        return subscriber.isSmall();
    }

    void close() {
        subscriber.close();
    }

    /** Opens a new subscriber after a close, without registrations. */
    void reopen() {
        subscriber = hub.open(this);
    }

    void setFull(boolean full) {
        this.full = full;
    }

    @Override
    public boolean isFull() {
        return full;
    }

    @Override
    public void deliver(Signal signal) {}

    @Override
    public synchronized void overrun() {
        overruns++;
    }

    /** The number of overruns. */
    synchronized int overruns() {
        return overruns;
    }

    /** The number of overruns since the last call. */
    synchronized int takeOverruns() {
        int notified = overruns;
        overruns = 0;
        return notified;
    }

    @Override
    public String toString() {
        return name;
    }
}
