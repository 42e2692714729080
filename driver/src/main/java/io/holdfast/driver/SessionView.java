package io.holdfast.driver;

import org.jspecify.annotations.Nullable;

/**
 * An open session at one moment.
 *
 * @param openNanos how long it has been open; -1 if this node does not know
 * @param holds how many slots it holds
 * @param waits how many lines it stands in
 * @param node the other node that it is connected to; null if it is this one
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
    public SessionView(
            long id, String protocol, String name, long openNanos, int holds, int waits) {
        this(id, protocol, name, openNanos, holds, waits, null);
    }
}
