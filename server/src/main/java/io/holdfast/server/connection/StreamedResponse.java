package io.holdfast.server.connection;

import io.holdfast.driver.LogThrottle;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.RejectedExecutionException;

/**
 * Writes a long response off the event loop, in chunks: the next chunk is produced when the
 * previous one has been written, so a long response to a slow client needs memory for one chunk.
 */
public abstract class StreamedResponse implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamedResponse.class);
    private static final LogThrottle FAILURES = new LogThrottle();
    private static final int CHUNK_BYTES = 32 * 1024;

    private final Connection<?> connection;
    private final ChannelHandlerContext ctx;
    private ByteBuf chunk;

    protected StreamedResponse(Connection<?> connection) {
        this.connection = connection;
        this.ctx = connection.context();
        this.chunk = ctx.alloc().buffer();
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
            chunk.release();
            ended();
        }
    }

    /** Writes the whole response to {@link #out}; false if the connection is closed. */
    protected abstract boolean writeAll();

    /** Called at the end, after success or failure. */
    protected void ended() {}

    /** The buffer for the response; a different one after {@link #sendIfLong}. */
    protected final ByteBuf out() {
        return chunk;
    }

    /** Sends the buffer if it is large enough for a chunk; false if the connection is closed. */
    protected final boolean sendIfLong() {
        return chunk.readableBytes() < CHUNK_BYTES || send(false);
    }

    /**
     * Hands the chunk to the event loop and waits until it is written; false if the connection is
     * closed.
     */
    private boolean send(boolean last) {
        ByteBuf full = chunk;
        chunk = ctx.alloc().buffer(last ? 0 : CHUNK_BYTES);
        ChannelPromise promise = ctx.newPromise();
        try {
            ctx.executor().execute(() -> connection.write(full, last, promise));
        } catch (RejectedExecutionException e) {
            full.release(); // the event loop has ended, and so has the connection
            return false;
        }
        return last || promise.awaitUninterruptibly().isSuccess();
    }
}
