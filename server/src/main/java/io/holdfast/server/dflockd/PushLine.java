package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.Signal;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import java.util.concurrent.atomic.AtomicInteger;

/** A signal encoded as the line that is pushed. All recipients share its bytes. */
final class PushLine implements Signal {
    /** Memory of the objects of a line in addition to its bytes. */
    private static final int OVERHEAD = 256;

    /**
     * Lines of at least this length are written from the shared bytes; shorter ones are copied and
     * batched.
     */
    private static final int LARGE = 2048;

    private final Key channel;
    private final PushBudget budget;
    private final ByteBuf bytes;
    private final int length;
    private final AtomicInteger receivers;

    /**
     * @param receivers number of recipients, each of which releases the line
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

    /**
     * A retained view of the bytes for a write; the line must not be released before the write
     * ends.
     */
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
