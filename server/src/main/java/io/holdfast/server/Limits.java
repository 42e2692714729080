package io.holdfast.server;

import static io.holdfast.driver.config.SettingRange.requireNotNegative;

import io.holdfast.driver.ClientLimits;
import io.holdfast.driver.KeyCountLimits;

/**
 * The maximum numbers of what clients can create. 0 is no limit.
 *
 * @param maxLocks lock and semaphore keys, even idle
 * @param maxLockdLocks keys that only lockd clients use
 * @param maxEntries counters, values and lists
 * @param maxWaiters waiters of one key
 * @param maxListLength items of one list
 * @param maxSubscriptions subscriptions of one connection
 * @param maxPushBytes bytes of signals that a listener may leave unread before it is disconnected
 * @param perClient limits of one connection, or of one session in tagged mode or over HTTP
 * @param maxConnections open connections
 * @param maxConnectionsPerAddress open connections of one client address
 */
public record Limits(
        long maxLocks,
        long maxLockdLocks,
        long maxEntries,
        int maxWaiters,
        int maxListLength,
        int maxSubscriptions,
        long maxPushBytes,
        ClientLimits perClient,
        int maxConnections,
        int maxConnectionsPerAddress) {
    public Limits {
        requireNotNegative("max-locks", maxLocks);
        requireNotNegative("lockd-max-locks", maxLockdLocks);
        requireNotNegative("max-keys", maxEntries);
        requireNotNegative("max-waiters", maxWaiters);
        requireNotNegative("max-list-length", maxListLength);
        requireNotNegative("max-subscriptions", maxSubscriptions);
        requireNotNegative("max-push-bytes", maxPushBytes);
        requireNotNegative("max-connections", maxConnections);
        requireNotNegative("max-connections-per-ip", maxConnectionsPerAddress);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The limits of keys of the whole server. */
    public KeyCountLimits keys() {
        return new KeyCountLimits(maxLocks, maxLockdLocks, maxEntries);
    }

    public static final class Builder {
        private long maxLocks = 1_000_000;
        private long maxLockdLocks = 1_000_000;
        private long maxEntries;
        private int maxWaiters;
        private int maxListLength;
        private int maxSubscriptions;
        private long maxPushBytes = 1 << 20;
        private int maxLocksPerClient = 100_000;
        private int maxWaitersPerClient = 100_000;
        private int maxEntriesPerClient = 100_000;
        private int maxConnections;
        private int maxConnectionsPerAddress;

        private Builder() {}

        public Builder maxLocks(long value) {
            maxLocks = value;
            return this;
        }

        public Builder maxLockdLocks(long value) {
            maxLockdLocks = value;
            return this;
        }

        public Builder maxEntries(long value) {
            maxEntries = value;
            return this;
        }

        public Builder maxWaiters(int value) {
            maxWaiters = value;
            return this;
        }

        public Builder maxListLength(int value) {
            maxListLength = value;
            return this;
        }

        public Builder maxSubscriptions(int value) {
            maxSubscriptions = value;
            return this;
        }

        public Builder maxPushBytes(long value) {
            maxPushBytes = value;
            return this;
        }

        public Builder maxLocksPerClient(int value) {
            maxLocksPerClient = value;
            return this;
        }

        public Builder maxWaitersPerClient(int value) {
            maxWaitersPerClient = value;
            return this;
        }

        public Builder maxEntriesPerClient(int value) {
            maxEntriesPerClient = value;
            return this;
        }

        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        public Builder maxConnectionsPerAddress(int value) {
            maxConnectionsPerAddress = value;
            return this;
        }

        /** Removes the limits of single clients. */
        public Builder unlimitedClients() {
            return perClient(ClientLimits.NONE);
        }

        public Builder perClient(ClientLimits value) {
            return maxLocksPerClient(value.names())
                    .maxWaitersPerClient(value.waits())
                    .maxEntriesPerClient(value.entries());
        }

        public Limits build() {
            return new Limits(
                    maxLocks,
                    maxLockdLocks,
                    maxEntries,
                    maxWaiters,
                    maxListLength,
                    maxSubscriptions,
                    maxPushBytes,
                    new ClientLimits(maxLocksPerClient, maxWaitersPerClient, maxEntriesPerClient),
                    maxConnections,
                    maxConnectionsPerAddress);
        }
    }
}
