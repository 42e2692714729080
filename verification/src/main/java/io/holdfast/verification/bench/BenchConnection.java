package io.holdfast.verification.bench;

import io.holdfast.driver.FailureText;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/**
 * One connection of a worker: sends a request and collects its response of one line. At most one
 * request is in flight. Used on the event loop only.
 */
final class BenchConnection extends ChannelInboundHandlerAdapter {
    /** In bytes; longer than any response to acquire, release or auth. */
    private static final int MAX_RESPONSE = 1024;

    private final BenchWorker benchWorker;
    private final byte[] response = new byte[MAX_RESPONSE];
    private int filled;
    private @Nullable Channel channel;

    /** Whether a request is in flight, and {@link BenchRun#tick} when it was sent. */
    private boolean awaiting;

    private long sentTick;

    BenchConnection(BenchWorker benchWorker) {
        this.benchWorker = benchWorker;
    }

    /** Releases one reference of the request; the caller retains it if it wants to reuse it. */
    void send(ByteBuf request, long tick) {
        awaiting = true;
        sentTick = tick;
        var open = channel;
        if (open == null) {
            request.release();
            benchWorker.fail("the connection is not open");
            return;
        }
        // A failed write is reported to exceptionCaught.
        var _ = open.writeAndFlush(request, open.voidPromise());
    }

    boolean isOverdue(long tick, long timeoutTicks) {
        return awaiting && tick - sentTick > timeoutTicks;
    }

    void opened(Channel open) {
        channel = open;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        var in = (ByteBuf) message;
        try {
            int size = in.readableBytes();
            if (size > MAX_RESPONSE - filled) {
                benchWorker.fail("the response is too long");
                return;
            }
            in.readBytes(response, filled, size);
            int from = filled;
            filled += size;
            int end = lineEnd(from);
            if (end < 0) {
                return;
            }
            if (!awaiting || end != filled - 1) {
                benchWorker.fail("the server sent more than one response to a request");
                return;
            }
            awaiting = false;
            filled = 0;
            benchWorker.onResponse(response, end);
        } finally {
            in.release();
        }
    }

    private int lineEnd(int from) {
        for (int i = from; i < filled; i++) {
            if (response[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        benchWorker.fail("the server closed the connection");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        benchWorker.fail(FailureText.of(cause));
    }

    static String text(byte[] line, int length) {
        return new String(line, 0, length, StandardCharsets.UTF_8);
    }
}
