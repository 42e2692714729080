package io.holdfast.driver.signal;

import io.holdfast.driver.ScanCursor;

/**
 * Where signals go: to those who listen in this process, or on other servers too. Every method may
 * be called from any thread.
 */
public sealed interface SignalService permits SignalHub, DistributedSignals {
    /** How many listen, each as often as it does. */
    int listeners();

    /** The patterns and groups somebody listens to. */
    ScanCursor<ChannelView> list();
}
