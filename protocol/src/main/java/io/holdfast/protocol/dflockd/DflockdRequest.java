package io.holdfast.protocol.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;

/** What a dflockd client can ask. Spans are nanoseconds. */
public sealed interface DflockdRequest {
    /** The lease of a request that names none. */
    long DEFAULT_LEASE = 0;

    /** {@code l}, {@code sl} */
    record Acquire(
            ResourceKind kind,
            Key key,
            long limit,
            long waitNanos,
            long leaseNanos,
            HoldAttributes terms)
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

    /** {@code listen}; an empty group is none. The pattern may still be no valid one. */
    record Listen(Key pattern, ByteString group) implements DflockdRequest {}

    /** {@code unlisten} */
    record Unlisten(Key pattern, ByteString group) implements DflockdRequest {}

    /** {@code signal} */
    record Signal(Key channel, ByteString payload) implements DflockdRequest {}

    record Ping() implements DflockdRequest {}

    record Stats() implements DflockdRequest {}

    /** The secret is trimmed of blanks. */
    @SuppressWarnings("ArrayRecordComponent") // compared by its owner, in constant time
    record Auth(byte[] secret) implements DflockdRequest {
        @Override
        public String toString() {
            return "Auth[secret=***]";
        }
    }

    /**
     * {@code hello}: asks for tagged mode.
     *
     * @param graceNanos how long the session shall outlive its connection
     * @param label who this is, empty if it does not say
     * @param resume what to resume, if anything
     */
    record Hello(long graceNanos, String label, @Nullable Resume resume)
            implements DflockdRequest {}

    /** A session, and what proves that it is one's own. */
    @SuppressWarnings("ArrayRecordComponent") // compared by its owner, in constant time
    record Resume(long session, byte[] secret) {
        @Override
        public String toString() {
            return "Resume[session=" + session + ", secret=***]";
        }
    }

    /** {@code cancel}: end the wait of a request. */
    record Cancel(long tag) implements DflockdRequest {}

    /** {@code mine}: what this session waits for and holds. */
    record Mine(long after) implements DflockdRequest {}

    /** {@code info}: how a key stands. */
    record Describe(Key key) implements DflockdRequest {}

    /** {@code bye}: end the session and the connection. */
    record Bye() implements DflockdRequest {}

    /** Unknown command, bad key or bad argument: answered with {@code error}. */
    record Malformed() implements DflockdRequest {}
}
