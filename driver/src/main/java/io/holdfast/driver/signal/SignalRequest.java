package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** A request of a session to {@link DistributedSignals}. */
public sealed interface SignalRequest {
    /** The request number, repeated in the result. */
    long request();

    /** Starts to listen; an empty group means no group. Idempotent. */
    record Listen(long request, Key pattern, ByteString group) implements SignalRequest {}

    /** Stops listening. */
    record Unlisten(long request, Key pattern, ByteString group) implements SignalRequest {}

    /** Emits a signal; the result is the number of recipients. */
    record Emit(long request, Key channel, ByteString payload) implements SignalRequest {}
}
