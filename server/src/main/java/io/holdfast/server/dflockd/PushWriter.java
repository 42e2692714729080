package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.SignalListener;
import io.holdfast.server.connection.LineOutput;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/** Writes the lines pushed to a listening connection. Confined to the event loop. */
final class PushWriter {
    /** Pushed lines are batched up to this size before they are written. */
    private static final int BATCH_BYTES = 16 * 1024;

    /** Maximum bytes written in one event loop iteration. */
    private static final int ITERATION_BYTES = 256 * 1024;

    /** Memory of a write in addition to its bytes. */
    private static final int WRITE_OVERHEAD = 512;

    /**
     * Limit of bytes in flight to the socket. With io_uring a write completes one event loop
     * iteration later, so this must be more than emitters send in one iteration, or a healthy
     * listener would seem slow.
     */
    private static final WriteBufferWaterMark IN_FLIGHT_WATER_MARK =
            new WriteBufferWaterMark(512 * 1024, 1024 * 1024);

    /** What a writer needs of its connection. */
    interface Connection {
        /** Whether a pushed line can be written now. */
        PushQueue.Readiness readiness();

        /** Writes the collected output, which is not empty. */
        void flush(ChannelPromise written);

        /** Writes pushed lines, on the event loop. */
        void push();

        /** Disconnects the client because it reads too slowly; on the event loop. */
        void disconnectSlow();
    }

    private final ChannelHandlerContext ctx;
    private final LineOutput output;
    private final Connection connection;
    private final PushBudget budget;
    private final PushQueue queue;

    PushWriter(
            ChannelHandlerContext ctx,
            DflockdService service,
            LineOutput output,
            Connection connection) {
        this.ctx = ctx;
        this.output = output;
        this.connection = connection;
        this.budget = service.pushBudget;
        this.queue =
                new PushQueue(
                        ctx.alloc(),
                        ctx.executor(),
                        budget,
                        service.maxPushBytes,
                        connection::push,
                        connection::disconnectSlow);
        ctx.channel().config().setWriteBufferWaterMark(IN_FLIGHT_WATER_MARK);
    }

    /** The listener that receives the signals to be pushed. */
    SignalListener listener() {
        return queue;
    }

    /** Writes pushed lines as long as the socket is writable, up to {@link #ITERATION_BYTES}. */
    void writePushes() {
        int written = 0;
        for (PushLine line = next(); line != null; line = next()) {
            written += line.length();
            if (line.isLarge()) {
                flush();
                write(line);
            } else {
                batch(line);
            }
            if (written >= ITERATION_BYTES) {
                queue.pause();
                ctx.executor().schedule(connection::push, 0, TimeUnit.NANOSECONDS);
                break;
            }
        }
        flush();
    }

    private @Nullable PushLine next() {
        return queue.poll(connection.readiness());
    }

    private void write(PushLine line) {
        int bytes = line.length() + WRITE_OVERHEAD;
        queue.addInFlight(bytes);
        budget.reserve(WRITE_OVERHEAD);
        ChannelPromise written = ctx.newPromise();
        written.addListener(
                _ -> {
                    line.release();
                    budget.release(WRITE_OVERHEAD);
                    queue.addInFlight(-bytes);
                });
        output.write(line.share(), written);
    }

    private void batch(PushLine line) {
        try {
            line.copyTo(output.buffer());
        } finally {
            line.release();
        }
        if (output.bufferedBytes() >= BATCH_BYTES) {
            flush();
        }
    }

    /**
     * Writes the collected output. Bytes in flight, responses included, count against the budget
     * until they are written.
     */
    void flush() {
        if (output.bufferedBytes() == 0) {
            return;
        }
        int bytes = output.bufferedBytes() + WRITE_OVERHEAD;
        queue.addInFlight(bytes);
        budget.reserve(bytes);
        ChannelPromise written = ctx.newPromise();
        written.addListener(
                _ -> {
                    budget.release(bytes);
                    queue.addInFlight(-bytes);
                });
        connection.flush(written);
    }

    /** Discards unwritten lines. */
    void close() {
        queue.close();
    }
}
