package io.holdfast.driver;

import io.holdfast.engine.view.SessionUsage;

import org.jspecify.annotations.Nullable;

/**
 * An open session at one moment.
 *
 * @param openNanos how long it has been open; -1 if unknown to this node
 * @param holds number of holds
 * @param waits number of waiters
 * @param node the other node that it is connected to; null for this node
 */
public record SessionView(
        long id,
        String protocol,
        String name,
        long openNanos,
        int holds,
        int waits,
        @Nullable String node) {
    /** A session of this node. */
    public static SessionView of(
            long id, ClientInfo clientInfo, long openNanos, SessionUsage usage) {
        return new SessionView(
                id,
                clientInfo.protocol(),
                clientInfo.name().get(),
                openNanos,
                usage.holds(),
                usage.waits(),
                null);
    }
}
