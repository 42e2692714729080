package io.holdfast.protocol.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;

/** A request of a dflockd client. Durations are in nanoseconds. */
public sealed interface DflockdRequest {
    /** The lease of a request that does not specify one. */
    long DEFAULT_LEASE = 0;

    /** {@code l}, {@code sl} */
    record Acquire(
            ResourceKind kind,
            Key key,
            long limit,
            long waitNanos,
            long leaseNanos,
            HoldAttributes attributes)
            implements DflockdRequest {
        public Acquire(ResourceKind kind, Key key, long limit, long waitNanos, long leaseNanos) {
            this(kind, key, limit, waitNanos, leaseNanos, HoldAttributes.PLAIN);
        }
    }

    /** {@code e}, {@code se} */
    record Enqueue(ResourceKind kind, Key key, long limit, long leaseNanos)
            implements DflockdRequest {}

    /** {@code w}, {@code sw} */
    record Await(ResourceKind kind, Key key, long waitNanos) implements DflockdRequest {}

    /** {@code r}, {@code sr} */
    record Release(ResourceKind kind, Key key, Token token) implements DflockdRequest {}

    /** {@code n}, {@code sn} */
    record Renew(ResourceKind kind, Key key, Token token, long leaseNanos)
            implements DflockdRequest {}

    /** Counters, values and lists. */
    record Data(Key key, DataOperation operation) implements DflockdRequest {}

    /** {@code listen}; an empty group means no group. The pattern has not been validated. */
    record Listen(Key pattern, ByteString group) implements DflockdRequest {}

    /** {@code unlisten} */
    record Unlisten(Key pattern, ByteString group) implements DflockdRequest {}

    /** {@code signal} */
    record Signal(Key channel, ByteString payload) implements DflockdRequest {}

    record Ping() implements DflockdRequest {}

    record Stats() implements DflockdRequest {}

    /** The secret is trimmed of whitespace. */
    @SuppressWarnings("ArrayRecordComponent") // compared by its owner, in constant time
    record Auth(byte[] secret) implements DflockdRequest {
        @Override
        public String toString() {
            return "Auth[secret=***]";
        }
    }

    /**
     * {@code hello}: requests tagged mode.
     *
     * @param graceNanos requested grace period, in which the session outlives its connection
     * @param label the name of the client, empty if not given
     * @param resume the session to resume; null for a new one
     */
    record Hello(long graceNanos, String label, @Nullable Resume resume)
            implements DflockdRequest {}

    /** A session to resume, and the secret that proves its ownership. */
    @SuppressWarnings("ArrayRecordComponent") // compared by its owner, in constant time
    record Resume(long session, byte[] secret) {
        @Override
        public String toString() {
            return "Resume[session=" + session + ", secret=***]";
        }
    }

    /** {@code cancel}: ends the wait of a request. */
    record Cancel(long tag) implements DflockdRequest {}

    /** {@code mine}: the tracked acquires of this session with tags greater than {@code after}. */
    record Mine(long after) implements DflockdRequest {}

    /** {@code info}: the holders and waiters of a key. */
    record Describe(Key key) implements DflockdRequest {}

    /** {@code bye}: ends the session and the connection. */
    record Bye() implements DflockdRequest {}

    /** Unknown command, invalid key or invalid argument: the response is {@code error}. */
    record Malformed() implements DflockdRequest {}
}
