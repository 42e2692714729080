package io.holdfast.cluster.signal;

import io.holdfast.driver.signal.Signal;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** A signal that was replicated by the log. */
record ReplicatedSignal(Key channel, ByteString payload) implements Signal {
    @Override
    public void release() {} // on the heap
}
