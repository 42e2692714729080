package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

/**
 * The holder of a lock, as its file names it.
 *
 * @param pid the process that acquired the lock, or for which it was acquired: 0 to 4294967295
 * @param timestamp when the lock was acquired or last refreshed, in seconds since 1970; 0 or more,
 *     {@link Long#MAX_VALUE} for values too large for a long
 * @param tag free text; an empty tag differs from none
 * @param nonce random hex digits, new with each acquisition
 * @param start when the process started, in milliseconds since 1970
 * @param host the host on which the pid is valid
 * @param acquired when the lock was acquired, in seconds since 1970; heartbeats change only the
 *     timestamp
 */
public record Holder(
        long pid,
        long timestamp,
        @Nullable String tag,
        @Nullable String nonce,
        @Nullable Long start,
        @Nullable String host,
        @Nullable Long acquired) {}
