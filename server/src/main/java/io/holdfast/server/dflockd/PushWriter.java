package io.holdfast.server.dflockd;

import io.holdfast.driver.LogThrottle;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.LineOutput;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;

/** Writes the lines pushed to a listening connection. Confined to the event loop. */
final class PushWriter implements LineOutput.Meter {
    private static final Logger LOG = LoggerFactory.getLogger(PushWriter.class);
    private static final LogThrottle DISCONNECTS = new LogThrottle();

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

    private final Connection<?> connection;
    private final ChannelHandlerContext ctx;
    private final PushBudget budget;
    private final PushQueue queue;

    PushWriter(Connection<?> connection, DflockdService service) {
        this.connection = connection;
        this.ctx = connection.context();
        this.budget = service.pushBudget;
        this.queue =
                new PushQueue(
                        ctx.alloc(),
                        ctx.executor(),
                        budget,
                        service.maxPushBytes,
                        this::push,
                        () -> connection.guarded(this::disconnectSlow));
        connection.output().use(this);
        ctx.channel().config().setWriteBufferWaterMark(IN_FLIGHT_WATER_MARK);
    }

    /** The listener that receives the signals to be pushed. */
    SignalListener listener() {
        return queue;
    }

    private void push() {
        connection.guarded(this::writePushes);
    }

    /** Writes pushed lines as long as the socket is writable, up to {@link #ITERATION_BYTES}. */
    void writePushes() {
        if (connection.isClosing()) {
            return;
        }
        int written = 0;
        for (PushLine line = queue.poll(readiness());
                line != null;
                line = queue.poll(readiness())) {
            written += line.length();
            if (line.isLarge()) {
                connection.flush();
                write(line);
            } else {
                batch(line);
            }
            if (written >= ITERATION_BYTES) {
                queue.pause();
                ctx.executor().schedule(this::push, 0, TimeUnit.NANOSECONDS);
                break;
            }
        }
        connection.flush();
    }

    /** Lines are pushed between responses, never within one. */
    private PushQueue.Readiness readiness() {
        if (connection.isStreaming() || connection.isAwaitingResult()) {
            return PushQueue.Readiness.BUSY;
        }
        return ctx.channel().isWritable()
                ? PushQueue.Readiness.READY
                : PushQueue.Readiness.SOCKET_FULL;
    }

    private void disconnectSlow() {
        if (!connection.isClosing()) {
            DISCONNECTS
                    .next(LOG.atWarn())
                    .addKeyValue("conn", connection.session().id())
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .log(
                            "listener disconnected: it did not read its signals (see"
                                    + " --max-push-bytes)");
            connection.abort();
        }
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
        connection.output().write(line.share(), written);
    }

    private void batch(PushLine line) {
        try {
            line.copyTo(connection.out());
        } finally {
            line.release();
        }
        if (connection.output().bufferedBytes() >= BATCH_BYTES) {
            connection.flush();
        }
    }

    /** Bytes in flight, responses included, count against the budget until they are written. */
    @Override
    public ChannelPromise begin(int length) {
        int bytes = length + WRITE_OVERHEAD;
        queue.addInFlight(bytes);
        budget.reserve(bytes);
        ChannelPromise written = ctx.newPromise();
        written.addListener(
                _ -> {
                    budget.release(bytes);
                    queue.addInFlight(-bytes);
                });
        return written;
    }

    /** Discards unwritten lines. */
    void close() {
        queue.close();
    }
}
