package io.holdfast.protocol;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

/**
 * Splits the input of one connection into requests.
 *
 * @param <I> a request, or what was received instead of one
 */
public interface RequestDecoder<I> {
    /**
     * Reads the next request from the buffer. Null if more bytes are needed; the bytes that are
     * then left in the buffer must be at its start at the next call.
     */
    @Nullable I decode(ByteBuf in);

    /** The number of complete lines, or messages, so far. */
    long linesRead();

    /** Whether a part of an incomplete request has been read, even if the buffer has none of it. */
    boolean isInsideRequest();
}
