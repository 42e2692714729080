package io.holdfast.server.connection;

import io.holdfast.driver.LogThrottle;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.RejectedExecutionException;

/**
 * Writes a long answer off the event loop, piece by piece: the next piece is made when the one
 * before has left, so a long answer to a slow reader costs one piece of memory.
 */
public abstract class StreamedResponse implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamedResponse.class);
    private static final LogThrottle FAILURES = new LogThrottle();
    private static final int PIECE_BYTES = 32 * 1024;

    /** Writes a piece, on the event loop. */
    public interface Writer {
        void write(ByteBuf piece, boolean last, ChannelPromise promise);
    }

    private final ChannelHandlerContext ctx;
    private final Writer writer;
    private ByteBuf piece;

    protected StreamedResponse(ChannelHandlerContext ctx, Writer writer) {
        this.ctx = ctx;
        this.writer = writer;
        this.piece = ctx.alloc().buffer();
    }

    @Override
    public final void run() {
        try {
            if (writeAll()) {
                boolean _ = send(true);
            }
        } catch (RuntimeException | Error e) {
            FAILURES.next(LOG.atError()).setCause(e).log("writing a streamed response failed");
            ctx.close();
        } finally {
            piece.release();
            ended();
        }
    }

    /** Writes the whole answer to {@link #out}; false if the connection is gone. */
    protected abstract boolean writeAll();

    /** Whatever became of it. */
    protected void ended() {}

    /** Where the answer goes; another one after {@link #sendIfLong}. */
    protected final ByteBuf out() {
        return piece;
    }

    /** Sends what there is if it is enough for a piece; false if the connection is gone. */
    protected final boolean sendIfLong() {
        return piece.readableBytes() < PIECE_BYTES || send(false);
    }

    /** Hands the piece over and waits until it is written; false if the connection is gone. */
    private boolean send(boolean last) {
        ByteBuf full = piece;
        piece = ctx.alloc().buffer(last ? 0 : PIECE_BYTES);
        ChannelPromise promise = ctx.newPromise();
        try {
            ctx.executor().execute(() -> writer.write(full, last, promise));
        } catch (RejectedExecutionException e) {
            full.release(); // the event loop is gone, and the connection with it
            return false;
        }
        return last || promise.awaitUninterruptibly().isSuccess();
    }
}
