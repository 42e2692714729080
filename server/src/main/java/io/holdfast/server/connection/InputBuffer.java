package io.holdfast.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;

import org.jspecify.annotations.Nullable;

/**
 * What a connection has received and not served yet. Confined to the event loop.
 *
 * <p>What is kept from one read to the next counts in the budget of all connections.
 */
final class InputBuffer {
    /** The maximum input that a client may pipeline behind a blocked request. */
    private static final int MAX_BYTES_BEHIND_BLOCKED = 4096;

    /**
     * Kept input is copied to a smaller buffer if its buffer is larger than twice its size plus
     * this.
     */
    private static final int SPARE_BYTES = 128;

    private final InputBudget budget;
    private @Nullable ByteBuf bytes;

    /** Bytes that are counted in the budget. */
    private int keptBytes;

    private boolean ended;

    InputBuffer(InputBudget budget) {
        this.budget = budget;
    }

    void add(ByteBuf received, ByteBufAllocator allocator) {
        bytes =
                bytes == null
                        ? received
                        : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, bytes, received);
    }

    /** What is left; null if there is nothing. */
    @Nullable ByteBuf bytes() {
        return bytes;
    }

    /** No input follows. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whether there is more than a client may send behind a blocked request. */
    boolean isTooLong() {
        return bytes != null && bytes.readableBytes() > MAX_BYTES_BEHIND_BLOCKED;
    }

    /**
     * Keeps the rest in a buffer of about its size: a few bytes must not keep a large receive
     * buffer. Returns false if all connections together keep too much.
     */
    boolean keepRest(ByteBufAllocator allocator) {
        ByteBuf rest = bytes;
        int length = rest == null ? 0 : rest.readableBytes();
        if (rest != null && length == 0) {
            rest.release();
            bytes = null;
        } else if (rest != null && rest.capacity() > 2 * length + SPARE_BYTES) {
            bytes = allocator.directBuffer(length).writeBytes(rest);
            rest.release();
        }
        return count(length);
    }

    private boolean count(int length) {
        boolean withinLimit = budget.reserve(length - keptBytes);
        keptBytes = length;
        return withinLimit;
    }

    /** Discards everything. */
    void release() {
        if (bytes != null) {
            bytes.release();
            bytes = null;
        }
        boolean _ = count(0);
    }
}
