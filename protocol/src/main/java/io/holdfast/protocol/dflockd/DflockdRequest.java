package io.holdfast.protocol.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Token;

/** What a dflockd client can ask. Spans are nanoseconds. */
public sealed interface DflockdRequest {
    /** The lease of a request that names none. */
    long DEFAULT_LEASE = 0;

    /** {@code l}, {@code sl} */
    record Acquire(Kind kind, Key key, long limit, long waitNanos, long leaseNanos)
            implements DflockdRequest {}

    /** {@code e}, {@code se} */
    record Enqueue(Kind kind, Key key, long limit, long leaseNanos) implements DflockdRequest {}

    /** {@code w}, {@code sw} */
    record Await(Kind kind, Key key, long waitNanos) implements DflockdRequest {}

    /** {@code r}, {@code sr} */
    record Release(Kind kind, Key key, Token token) implements DflockdRequest {}

    /** {@code n}, {@code sn} */
    record Renew(Kind kind, Key key, Token token, long leaseNanos) implements DflockdRequest {}

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

    /** Unknown command, bad key or bad argument: answered with {@code error}. */
    record Malformed() implements DflockdRequest {}
}
