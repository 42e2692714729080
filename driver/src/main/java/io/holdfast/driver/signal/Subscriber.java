package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

import java.util.SortedMap;
import java.util.TreeMap;

/** The registrations of one listener. Thread-safe. */
public final class Subscriber {
    private final SignalHub hub;
    private final SignalListener signalListener;

    /**
     * In the order of topics, which a snapshot does not change: they may end in slices. Guarded by
     * the hub's lock.
     */
    final SortedMap<PatternAndGroup, ListenRegistration> registrations = new TreeMap<>();

    /** Guarded by the hub's lock. */
    boolean closed;

    Subscriber(SignalHub hub, SignalListener signalListener) {
        this.hub = hub;
        this.signalListener = signalListener;
    }

    SignalListener listener() {
        return signalListener;
    }

    /**
     * Listens to a pattern. Idempotent.
     *
     * @param group empty for no group
     */
    public ListenOutcome listen(Key pattern, ByteString group) {
        return hub.listen(this, new PatternAndGroup(pattern, group));
    }

    /** Ends the registration, if there is one. */
    public void unlisten(Key pattern, ByteString group) {
        hub.unlisten(this, new PatternAndGroup(pattern, group));
    }

    /** The number of registrations. */
    public int size() {
        return hub.size(this);
    }

    /** Whether {@link #close} needs only one slice. */
    public boolean isSmall() {
        return size() <= SignalHub.SLICE;
    }

    /**
     * Closes the subscriber, so that no new registrations are accepted, and ends up to {@code max}
     * registrations. Returns whether more are left.
     */
    public boolean closeSome(int max) {
        return hub.closeSome(this, max);
    }

    /** Closes the subscriber and ends all registrations. */
    public void close() {
        hub.close(this);
    }
}
