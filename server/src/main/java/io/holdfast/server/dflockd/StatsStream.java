package io.holdfast.server.dflockd;

import io.holdfast.driver.Driver;
import io.holdfast.driver.ResourceListing;
import io.holdfast.engine.ResourceView;
import io.holdfast.protocol.dflockd.DflockdStats;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;

/**
 * Writes the answer to {@code stats} off the event loop, piece by piece: the next piece is made
 * when the one before has left, so a long answer to a slow reader costs one piece of memory.
 */
final class StatsStream implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(StatsStream.class);
    private static final int PIECE_BYTES = 32 * 1024;

    /** Writes a piece, on the event loop. */
    interface Writer {
        void write(ByteBuf piece, boolean last, ChannelPromise promise);
    }

    private final ChannelHandlerContext ctx;
    private final Driver driver;
    private final Writer writer;
    private final DflockdStats stats = new DflockdStats();
    private ByteBuf piece;

    StatsStream(ChannelHandlerContext ctx, Driver driver, Writer writer) {
        this.ctx = ctx;
        this.driver = driver;
        this.writer = writer;
        this.piece = ctx.alloc().buffer();
    }

    @Override
    public void run() {
        try {
            stats.begin(driver.openSessions(), piece);
            for (DflockdStats.Part part : DflockdStats.Part.values()) {
                stats.begin(part, piece);
                if (!write(part)) {
                    return;
                }
                stats.end(part, piece);
            }
            stats.end(piece);
            boolean _ = send(true);
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("stats failed");
            ctx.close();
        } finally {
            piece.release();
        }
    }

    private boolean write(DflockdStats.Part part) {
        try (ResourceListing listing = part.isIdle() ? driver.listIdle() : driver.listInUse()) {
            for (List<ResourceView> slice = listing.next();
                    !slice.isEmpty();
                    slice = listing.next()) {
                for (ResourceView view : slice) {
                    stats.write(part, view, piece);
                }
                if (piece.readableBytes() >= PIECE_BYTES && !send(false)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Hands the piece over and waits until it is written; false if the connection is gone. */
    private boolean send(boolean last) {
        ByteBuf full = piece;
        piece = ctx.alloc().buffer(last ? 0 : PIECE_BYTES);
        ChannelPromise promise = ctx.newPromise();
        ctx.executor().execute(() -> writer.write(full, last, promise));
        return last || promise.awaitUninterruptibly().isSuccess();
    }
}
