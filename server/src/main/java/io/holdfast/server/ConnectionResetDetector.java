package io.holdfast.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.channel.uring.IoUringTcpInfo;

import java.util.concurrent.TimeUnit;

/**
 * Looks whether a connection was reset in the moment of its last read: with io_uring Netty reads
 * what came before the reset, takes the socket for empty, and waits for an event that has been
 * already. Without this the locks of such a client would stay held. One look follows the last of a
 * series of reads; a reset that comes later is noticed by itself.
 */
final class ConnectionResetDetector extends ChannelInboundHandlerAdapter implements Runnable {
    private static final long AFTER_NANOS = 200_000_000L;

    /** The state of a TCP connection that is no more, as the system numbers them. */
    private static final int CLOSED = 7;

    private final IoUringSocketChannel channel;
    private long lastReadNanos;
    private boolean scheduled;

    ConnectionResetDetector(IoUringSocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        lastReadNanos = System.nanoTime();
        if (!scheduled) {
            schedule(AFTER_NANOS);
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
        long left = AFTER_NANOS - (System.nanoTime() - lastReadNanos);
        if (left > 0) {
            schedule(left);
        } else if (!channel.config().isAutoRead()) {
            schedule(AFTER_NANOS); // there may be more to read
        } else if (isReset()) {
            channel.close();
        }
    }

    private boolean isReset() {
        IoUringTcpInfo info = channel.tcpInfo();
        return info.state() == CLOSED;
    }
}
