package io.holdfast.cluster.signal;

import io.holdfast.driver.signal.Signal;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.driver.signal.Subscriber;

/**
 * A session of any node that listens to signals. It is never full, since buffered signals are not
 * part of the replicated state.
 */
final class ReplicatedSignalListener implements SignalListener {
    private final Long session;
    private final Subscriber subscriber;

    ReplicatedSignalListener(Long session, SignalHub hub) {
        this.session = session;
        this.subscriber = hub.open(this);
    }

    Long session() {
        return session;
    }

    Subscriber subscriber() {
        return subscriber;
    }

    @Override
    public boolean isFull() {
        return false;
    }

    @Override
    public void deliver(Signal signal) {
        throw new IllegalStateException("deliver() is never called on a replicated listener");
    }

    @Override
    public void overrun() {
        throw new IllegalStateException("a replicated listener is never full");
    }
}
