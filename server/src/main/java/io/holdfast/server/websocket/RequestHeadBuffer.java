package io.holdfast.server.websocket;

import io.holdfast.server.connection.InputBudget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;

import org.jspecify.annotations.Nullable;

/**
 * Buffers the head of an HTTP request until it is complete, and counts its bytes in the input
 * budget; then it removes itself from the pipeline. Decoded as they arrive, many short headers of
 * slow clients would take thirty times the memory.
 */
final class RequestHeadBuffer extends ChannelInboundHandlerAdapter {
    /** Limit in bytes; a longer head is passed on, and the decoder rejects it. */
    private final int maxBytes;

    private final InputBudget inputBudget;
    private @Nullable ByteBuf head;
    private int keptBytes;
    private int scanned;
    private boolean begun;

    /** Only carriage returns since the last line feed. */
    private boolean lineIsEmpty;

    RequestHeadBuffer(int maxBytes, InputBudget inputBudget) {
        this.maxBytes = maxBytes;
        this.inputBudget = inputBudget;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf all =
                head == null
                        ? bytes
                        : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), head, bytes);
        head = all;
        if (isComplete(all) || all.readableBytes() > maxBytes) {
            head = null;
            ctx.pipeline().remove(this);
            ctx.fireChannelRead(all);
        } else if (!reserve(Math.max(all.readableBytes(), all.capacity()))) {
            ctx.close();
        }
    }

    /** Whether there is an empty line after a non-empty one. */
    private boolean isComplete(ByteBuf all) {
        for (; scanned < all.readableBytes(); scanned++) {
            byte next = all.getByte(all.readerIndex() + scanned);
            if (!begun) {
                begun = next > ' ';
            } else if (next == '\n') {
                if (lineIsEmpty) {
                    return true;
                }
                lineIsEmpty = true;
            } else if (next != '\r') {
                lineIsEmpty = false;
            }
        }
        return false;
    }

    private boolean reserve(int bytes) {
        boolean withinLimit = inputBudget.reserve(bytes - keptBytes);
        keptBytes = bytes;
        return withinLimit;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (head != null) {
            head.release();
            head = null;
        }
        boolean _ = reserve(0);
    }
}
