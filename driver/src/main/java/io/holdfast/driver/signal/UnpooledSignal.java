package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** A signal that needs no release. */
public record UnpooledSignal(Key channel, ByteString payload) implements Signal {
    @Override
    public void release() {}
}
