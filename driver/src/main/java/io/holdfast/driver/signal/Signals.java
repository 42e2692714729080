package io.holdfast.driver.signal;

import io.holdfast.driver.Slices;

/**
 * Where signals go: to those who listen in this process, or on other servers too. Every method may
 * be called from any thread.
 */
public sealed interface Signals permits SignalHub, SharedSignals {
    /** How many listen, each as often as it does. */
    int listeners();

    /** The patterns and groups somebody listens to. */
    Slices<ChannelView> list();
}
