package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.Signal;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import java.util.concurrent.atomic.AtomicInteger;

/** A signal as the line that is pushed. All who get it share its bytes. */
final class PushLine implements Signal {
    /** What the objects of a line take beside its bytes. */
    private static final int OVERHEAD = 256;

    /** Longer lines are written from the shared bytes; shorter ones are copied and gathered. */
    private static final int LARGE = 2048;

    private final Key channel;
    private final PushBudget budget;
    private final ByteBuf bytes;
    private final int length;
    private final AtomicInteger receivers;

    /**
     * @param receivers how many will be given the line, and release it
     */
    PushLine(
            ByteBufAllocator allocator,
            Key channel,
            ByteString payload,
            int receivers,
            PushBudget budget) {
        this.channel = channel;
        this.budget = budget;
        this.length = DflockdEncoder.pushedLength(channel, payload);
        this.receivers = new AtomicInteger(receivers);
        bytes = allocator.directBuffer(length, length);
        DflockdEncoder.pushed(channel, payload, bytes);
        budget.reserve(length + OVERHEAD);
    }

    @Override
    public Key channel() {
        return channel;
    }

    @Override
    public ByteString payload() {
        return DflockdEncoder.payloadOf(bytes, channel);
    }

    int length() {
        return length;
    }

    boolean isLarge() {
        return length >= LARGE;
    }

    void copyTo(ByteBuf out) {
        out.writeBytes(bytes, 0, length);
    }

    /** The bytes, to be written and released by their reader; the line must live until then. */
    ByteBuf share() {
        return bytes.retainedDuplicate();
    }

    @Override
    public void release() {
        if (receivers.decrementAndGet() == 0) {
            bytes.release();
            budget.release(length + OVERHEAD);
        }
    }
}
