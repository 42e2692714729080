package io.holdfast.driver.signal;

import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.Key;

/**
 * The signals of a driver: between the clients of this process, or of all servers of a cluster.
 * Thread-safe.
 */
public interface SignalService {
    /** Whether wildcards are whole tokens, and {@code >} is only used as the last one. */
    static boolean isPattern(Key pattern) {
        return !ChannelTokens.hasWildcard(pattern)
                || ChannelTokens.isPattern(ChannelTokens.of(pattern));
    }

    /** The number of registrations of all listeners. */
    int listeners();

    /** The patterns and groups that have listeners, in all namespaces. */
    ScanCursor<ChannelView> list();
}
