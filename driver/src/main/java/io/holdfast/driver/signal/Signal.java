package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** A message on a channel. All recipients share one object. */
public interface Signal {
    Key channel();

    ByteString payload();

    /**
     * Called once by each listener to which the signal was delivered, when it does not need it any
     * more.
     */
    void release();
}
