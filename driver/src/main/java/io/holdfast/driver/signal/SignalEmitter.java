package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/**
 * What a driver asks of a client that emits a signal, if it chooses the recipients at once: called
 * on the thread that emits.
 */
@FunctionalInterface
public interface SignalEmitter {
    /** Emits signals on the heap. */
    SignalEmitter ON_HEAP = (channel, payload, _) -> new UnpooledSignal(channel, payload);

    /**
     * Creates the signal that all recipients share.
     *
     * @param recipients at least one; each releases the signal
     */
    Signal create(Key channel, ByteString payload, int recipients);

    /** Notes how many tree nodes and listeners were examined to find the recipients. */
    default void examined(int count) {}
}
