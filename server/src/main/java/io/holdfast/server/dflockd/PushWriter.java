package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.SignalListener;
import io.holdfast.server.connection.LineOutput;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/** The pushed lines of a connection that listens, and their writing. Lives on the event loop. */
final class PushWriter {
    /** Pushed lines are gathered up to this before they are written. */
    private static final int BATCH_BYTES = 16 * 1024;

    /** What is written before other connections of the event loop get their turn. */
    private static final int TURN_BYTES = 256 * 1024;

    /** What a write takes beside its bytes. */
    private static final int WRITE_OVERHEAD = 512;

    /**
     * How much may be on its way to the socket. With io_uring a write ends one turn of the event
     * loop later, so this must be more than emitters send in a turn, or a healthy listener looks
     * slow.
     */
    private static final WriteBufferWaterMark IN_FLIGHT_WATER_MARK =
            new WriteBufferWaterMark(512 * 1024, 1024 * 1024);

    /** The connection, as its listening side needs it. */
    interface Connection {
        /** Whether a pushed line can be written now. */
        PushQueue.Readiness readiness();

        /** Writes what is gathered in the output, which is not empty. */
        void flush(ChannelPromise written);

        /** Writes pushed lines, on the event loop. */
        void push();

        /** The client reads too slowly, and has to go; on the event loop. */
        void cutOff();
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
                        connection::cutOff);
        ctx.channel().config().setWriteBufferWaterMark(IN_FLIGHT_WATER_MARK);
    }

    /** Who takes the signals to be pushed. */
    SignalListener listener() {
        return queue;
    }

    /** Writes pushed lines as long as the socket takes them, up to a bound. */
    void writePushes() {
        int written = 0;
        for (PushLine line = next(); line != null; line = next()) {
            written += line.length();
            if (line.isLarge()) {
                flush();
                write(line);
            } else {
                gather(line);
            }
            if (written >= TURN_BYTES) {
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

    private void gather(PushLine line) {
        try {
            line.copyTo(output.buffer());
        } finally {
            line.release();
        }
        if (output.gathered() >= BATCH_BYTES) {
            flush();
        }
    }

    /** What is on its way is part of the budget, answers included, until it has arrived. */
    void flush() {
        if (output.gathered() == 0) {
            return;
        }
        int bytes = output.gathered() + WRITE_OVERHEAD;
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

    /** Throws away what is not written. */
    void close() {
        queue.close();
    }
}
