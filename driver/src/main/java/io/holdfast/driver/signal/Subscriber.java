package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

import java.util.LinkedHashMap;
import java.util.Map;

/** One listener's registrations. Every method may be called from any thread. */
public final class Subscriber {
    private final SignalHub hub;
    private final SignalListener signalListener;

    /** In order of joining. Guarded by the hub's lock. */
    final Map<PatternAndGroup, ListenRegistration> registrations = new LinkedHashMap<>();

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
     * Listens to a pattern. To do it twice is to do it once.
     *
     * @param group empty to listen alone
     */
    public ListenOutcome listen(Key pattern, ByteString group) {
        return hub.listen(this, new PatternAndGroup(pattern, group));
    }

    /** Ends that registration, if there is one. */
    public void unlisten(Key pattern, ByteString group) {
        hub.unlisten(this, new PatternAndGroup(pattern, group));
    }

    /** How many registrations there are. */
    public int size() {
        return hub.size(this);
    }

    /** Whether {@link #close} is quick. */
    public boolean isSmall() {
        return size() <= SignalHub.SLICE;
    }

    /** Ends so many registrations at most, for good: no new ones begin. Whether there are more. */
    public boolean closeSome(int most) {
        return hub.closeSome(this, most);
    }

    /** Ends all registrations, for good. */
    public void close() {
        hub.close(this);
    }
}
