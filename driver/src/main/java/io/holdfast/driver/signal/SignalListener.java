package io.holdfast.driver.signal;

/** Receives signals. Called by emitters, on any thread: must be quick and must not call the hub. */
public interface SignalListener {
    /** Whether it cannot queue a signal now, so that another member of its group should get it. */
    boolean isFull();

    /** Delivers a signal; {@link #isFull} was false shortly before. */
    void deliver(Signal signal);

    /**
     * A signal could not be delivered because the listener was full: it is too slow and should be
     * disconnected.
     */
    void overrun();
}
