package io.holdfast.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.channel.uring.IoUringTcpInfo;

import java.util.concurrent.TimeUnit;

/**
 * Detects that a connection was reset during its last read: with io_uring, Netty reads the bytes
 * that arrived before the reset, considers the socket empty, and waits for an event that has
 * already fired. Without this check the locks of such a client would stay held. One check follows
 * the last of a series of reads; Netty notices a later reset itself.
 */
final class IoUringResetDetector extends ChannelInboundHandlerAdapter implements Runnable {
    private static final long CHECK_DELAY_NANOS = 200_000_000L;

    /** TCP_CLOSE of the kernel's TCP states. */
    private static final int CLOSED = 7;

    private final IoUringSocketChannel channel;
    private long lastReadNanos;
    private boolean scheduled;

    IoUringResetDetector(IoUringSocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        lastReadNanos = System.nanoTime();
        if (!scheduled) {
            schedule(CHECK_DELAY_NANOS);
        }
        ctx.fireChannelReadComplete();
    }

    private void schedule(long nanos) {
        scheduled = true;
        channel.eventLoop().schedule(this, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void run() {
        scheduled = false;
        if (!channel.isActive()) {
            return;
        }
        long left = CHECK_DELAY_NANOS - (System.nanoTime() - lastReadNanos);
        if (left > 0) {
            schedule(left);
        } else if (!channel.config().isAutoRead()) {
            schedule(CHECK_DELAY_NANOS); // there may be more to read
        } else if (isReset()) {
            channel.close();
        }
    }

    private boolean isReset() {
        IoUringTcpInfo info = channel.tcpInfo();
        return info.state() == CLOSED;
    }
}
