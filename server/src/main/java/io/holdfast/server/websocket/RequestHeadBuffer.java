package io.holdfast.server.websocket;

import io.holdfast.server.connection.InputBudget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the head of an HTTP request as the bytes it came in until it is complete, and counts them:
 * read piece by piece, many short headers of clients that take their time would be thirty times as
 * large. Then it leaves the pipeline.
 */
final class RequestHeadBuffer extends ChannelInboundHandlerAdapter {
    /** A longer head is for the decoder to refuse. */
    private final int most;

    private final InputBudget kept;
    private @Nullable ByteBuf head;
    private int keptBytes;
    private int scanned;
    private boolean begun;

    /** Only carriage returns have come since the last line feed. */
    private boolean lineIsEmpty;

    RequestHeadBuffer(int most, InputBudget kept) {
        this.most = most;
        this.kept = kept;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf all =
                head == null
                        ? bytes
                        : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), head, bytes);
        head = all;
        if (isComplete(all) || all.readableBytes() > most) {
            head = null;
            ctx.pipeline().remove(this);
            ctx.fireChannelRead(all);
        } else if (!reserve(Math.max(all.readableBytes(), all.capacity()))) {
            ctx.close();
        }
    }

    /** Whether there is an empty line behind one that is not. */
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
        boolean room = kept.reserve(bytes - keptBytes);
        keptBytes = bytes;
        return room;
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
