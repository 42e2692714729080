package io.holdfast.cli.bench;

import io.holdfast.driver.FailureText;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/**
 * One connection of a worker: sends a request, collects the one line that answers it. At most one
 * request is on its way. Lives on the event loop.
 */
final class BenchConnection extends ChannelInboundHandlerAdapter {
    /** Longer than any answer to acquire, release or auth. */
    private static final int MAX_ANSWER = 1024;

    private final BenchWorker benchWorker;
    private final byte[] answer = new byte[MAX_ANSWER];
    private int filled;
    private @Nullable Channel channel;

    /** Whether an answer is due, and {@link BenchRun#tick} when its request left. */
    private boolean awaiting;

    private long sentTick;

    BenchConnection(BenchWorker benchWorker) {
        this.benchWorker = benchWorker;
    }

    /** Reference counting is up to the caller: the transport releases the request once. */
    void send(ByteBuf request, long tick) {
        awaiting = true;
        sentTick = tick;
        var open = channel;
        if (open == null) {
            request.release();
            benchWorker.fail("the connection is not open");
            return;
        }
        // A failed write comes back as exceptionCaught.
        var _ = open.writeAndFlush(request, open.voidPromise());
    }

    boolean overdue(long tick, long patience) {
        return awaiting && tick - sentTick > patience;
    }

    void opened(Channel open) {
        channel = open;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        var in = (ByteBuf) message;
        try {
            int size = in.readableBytes();
            if (size > MAX_ANSWER - filled) {
                benchWorker.fail("the answer is too long");
                return;
            }
            in.readBytes(answer, filled, size);
            int from = filled;
            filled += size;
            int end = lineEnd(from);
            if (end < 0) {
                return;
            }
            if (!awaiting || end != filled - 1) {
                benchWorker.fail("the server sent more than it was asked for");
                return;
            }
            awaiting = false;
            filled = 0;
            benchWorker.answered(answer, end);
        } finally {
            in.release();
        }
    }

    private int lineEnd(int from) {
        for (int i = from; i < filled; i++) {
            if (answer[i] == '\n') {
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
