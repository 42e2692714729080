package io.holdfast.server.connection;

import io.holdfast.driver.monitor.ProtocolTraffic;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The output of a connection: whole lines are collected in a buffer and sent with one write, which
 * must not take longer than the write timeout. Confined to the event loop.
 */
public final class LineOutput implements ChannelFutureListener {
    private static final int INITIAL_BYTES = 128;

    /** Accounts for bytes in flight to the socket. */
    @FunctionalInterface
    public interface Meter {
        /** The promise of a write of this length, which is about to begin. */
        ChannelPromise begin(int bytes);
    }

    private final ChannelHandlerContext ctx;
    private final ProtocolTraffic protocolTraffic;

    /** 0 is no limit. */
    private final long timeoutNanos;

    private final Runnable onTimeout;
    private @Nullable Meter meter;
    private @Nullable ByteBuf buffer;
    private int writesInFlight;
    private long writingSinceNanos;
    private @Nullable Future<?> timer;

    LineOutput(
            ChannelHandlerContext ctx,
            ProtocolTraffic protocolTraffic,
            long timeoutNanos,
            Runnable onTimeout) {
        this.ctx = ctx;
        this.protocolTraffic = protocolTraffic;
        this.timeoutNanos = timeoutNanos;
        this.onTimeout = onTimeout;
    }

    /** The buffer for lines; it always ends at the end of a line. */
    public ByteBuf buffer() {
        if (buffer == null) {
            buffer = ctx.alloc().directBuffer(INITIAL_BYTES);
        }
        return buffer;
    }

    /** The number of bytes to be written by {@link #flush}. */
    public int bufferedBytes() {
        return buffer == null ? 0 : buffer.readableBytes();
    }

    /** From now on this accounts for what {@link #flush} writes. */
    public void use(Meter next) {
        meter = next;
    }

    /** Writes the buffer, which must not be empty. */
    void flush() {
        ByteBuf bytes = buffer();
        buffer = null;
        write(bytes, meter == null ? ctx.newPromise() : meter.begin(bytes.readableBytes()));
    }

    /** Writes bytes after everything that was flushed. */
    public void write(ByteBuf bytes, ChannelPromise promise) {
        if (writesInFlight++ == 0) {
            writingSinceNanos = System.nanoTime();
        }
        if (timer == null && timeoutNanos > 0) {
            arm(timeoutNanos);
        }
        protocolTraffic.send(bytes.readableBytes());
        ctx.writeAndFlush(bytes, promise).addListener(this);
    }

    @Override
    public void operationComplete(ChannelFuture written) {
        if (--writesInFlight > 0) {
            writingSinceNanos = System.nanoTime(); // the next write begins now
        }
    }

    /** Discards what has not been flushed. */
    void discard() {
        if (buffer != null) {
            buffer.release();
            buffer = null;
        }
    }

    /** The connection is closed. */
    void close() {
        discard();
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void arm(long nanos) {
        timer = ctx.executor().schedule(this::check, nanos, TimeUnit.NANOSECONDS);
    }

    private void check() {
        timer = null;
        if (writesInFlight == 0 || !ctx.channel().isOpen()) {
            return;
        }
        long left = timeoutNanos - (System.nanoTime() - writingSinceNanos);
        if (left > 0) {
            arm(left);
        } else {
            onTimeout.run();
        }
    }
}
