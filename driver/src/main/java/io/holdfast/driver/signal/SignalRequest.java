package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** What a session can ask {@link DistributedSignals} for. */
public sealed interface SignalRequest {
    /** The number that the answer bears. */
    long request();

    /** To listen; the empty group is to listen alone. To do it twice is to do it once. */
    record Listen(long request, Key pattern, ByteString group) implements SignalRequest {}

    /** To listen no more. */
    record Unlisten(long request, Key pattern, ByteString group) implements SignalRequest {}

    /** To tell those who listen; answered with how many. */
    record Emit(long request, Key channel, ByteString payload) implements SignalRequest {}
}
