package io.holdfast.driver.signal;

import io.holdfast.driver.Driver;

/** A driver whose signals are shared with other servers. */
public interface SignalDriver extends Driver {
    DistributedSignals signals();
}
