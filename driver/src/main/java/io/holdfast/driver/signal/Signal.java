package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** What is told on a channel. Those who get it share one object. */
public interface Signal {
    Key channel();

    ByteString payload();

    /** Each listener that was given the signal says once that it needs it no longer. */
    void release();
}
