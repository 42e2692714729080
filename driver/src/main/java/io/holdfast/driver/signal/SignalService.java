package io.holdfast.driver.signal;

import io.holdfast.driver.view.ScanCursor;

/**
 * Delivers signals: to the listeners of this process only, or also to those of other servers.
 * Thread-safe.
 */
public sealed interface SignalService permits SignalHub, DistributedSignals {
    /** The number of registrations of all listeners. */
    int listeners();

    /** The patterns and groups that have listeners. */
    ScanCursor<ChannelView> list();
}
