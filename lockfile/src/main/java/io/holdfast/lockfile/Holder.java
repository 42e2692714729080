package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

/**
 * Who holds a lock, as its file says.
 *
 * @param pid of the process that took the lock, or that it was taken for: 0 to 4294967295
 * @param timestamp seconds since 1970: when the lock was taken, or last refreshed; 0 or more, what
 *     is too large for a long is {@link Long#MAX_VALUE}
 * @param tag free text; an empty one is not the same as none
 * @param nonce random hex digits, new with each acquisition
 * @param start when the process started, in milliseconds since 1970
 * @param host where the pid has a meaning
 * @param acquired seconds since 1970: when the lock was taken, where heartbeats move the timestamp
 */
public record Holder(
        long pid,
        long timestamp,
        @Nullable String tag,
        @Nullable String nonce,
        @Nullable Long start,
        @Nullable String host,
        @Nullable Long acquired) {}
