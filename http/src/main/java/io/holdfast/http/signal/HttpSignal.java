package io.holdfast.http.signal;

import io.holdfast.driver.signal.Signal;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** A signal that came as a request. */
record HttpSignal(Key channel, ByteString payload) implements Signal {
    @Override
    public void release() {} // the heap has it
}
