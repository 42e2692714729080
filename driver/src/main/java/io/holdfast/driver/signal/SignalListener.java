package io.holdfast.driver.signal;

/** Who hears signals. Called by emitters, on any thread: must be quick, and not call the hub. */
public interface SignalListener {
    /** Whether there is no room for a signal now, so that another should have it. */
    boolean isFull();

    /** Takes a signal for which there was room a moment ago. */
    void deliver(Signal signal);

    /** A signal found no room: this listener is too slow, and has to go. */
    void overrun();
}
