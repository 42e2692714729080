package io.holdfast.driver.signal;

import io.holdfast.driver.Driver;

/** A driver whose sessions share signals with those of other servers. */
public interface SignalDriver extends Driver {
    DistributedSignals signals();
}
