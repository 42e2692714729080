package io.holdfast.http.signal;

import io.holdfast.driver.signal.Signal;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** A signal that was sent in an HTTP request. */
record HttpSignal(Key channel, ByteString payload) implements Signal {
    @Override
    public void release() {} // it is in heap memory
}
