package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.ListenOutcome;
import io.holdfast.driver.signal.Subscriber;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/**
 * What a connection has that listens: its subscriptions, and the writing of pushed lines. Lives on
 * the event loop.
 */
final class Listening {
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
    private static final WriteBufferWaterMark ON_ITS_WAY =
            new WriteBufferWaterMark(512 * 1024, 1024 * 1024);

    /** The connection, as its listening side needs it. */
    interface Connection {
        /** Whether a pushed line may be written now, and the socket takes it. */
        boolean takesPushes();

        /** Writes what is gathered in the output. */
        void flush(ChannelPromise written);

        /** Writes pushed lines, on the event loop. */
        void push();

        /** The client reads too slowly, and has to go; on the event loop. */
        void cutOff();
    }

    private final ChannelHandlerContext ctx;
    private final DflockdOutput output;
    private final Connection connection;
    private final PushBudget budget;
    private final PushQueue queue;
    private final Subscriber subscriber;

    Listening(
            ChannelHandlerContext ctx,
            DflockdService service,
            DflockdOutput output,
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
        this.subscriber = service.hub.open(queue);
        ctx.channel().config().setWriteBufferWaterMark(ON_ITS_WAY);
    }

    ListenOutcome listen(Key pattern, ByteString group) {
        return subscriber.listen(pattern, group);
    }

    void unlisten(Key pattern, ByteString group) {
        subscriber.unlisten(pattern, group);
    }

    /** Writes pushed lines as long as the socket takes them, up to a bound. */
    void writePushes() {
        int copied = 0;
        int written = 0;
        for (PushLine line = next(); line != null; line = next()) {
            written += line.length();
            if (line.isLarge()) {
                flush(copied);
                copied = 0;
                PushLine shared = line;
                output.write(line.share(), ctx.newPromise().addListener(_ -> shared.release()));
            } else {
                line.copyTo(output.buffer());
                copied += line.length();
                line.release();
                if (output.gathered() >= BATCH_BYTES) {
                    flush(copied);
                    copied = 0;
                }
            }
            if (written >= TURN_BYTES) {
                ctx.executor().schedule(connection::push, 0, TimeUnit.NANOSECONDS);
                break;
            }
        }
        flush(copied);
    }

    private @Nullable PushLine next() {
        return queue.poll(connection.takesPushes());
    }

    /** Copies of lines are part of the budget until they have left. */
    private void flush(int copied) {
        if (output.gathered() == 0) {
            return;
        }
        ChannelPromise written = ctx.newPromise();
        if (copied > 0) {
            budget.take(copied + WRITE_OVERHEAD);
            written.addListener(_ -> budget.giveBack(copied + WRITE_OVERHEAD));
        }
        connection.flush(written);
    }

    /** Ends all subscriptions; when there are many, not on the event loop. */
    void close() {
        queue.close();
        if (subscriber.isSmall()) {
            subscriber.close();
        } else {
            Thread.startVirtualThread(subscriber::close);
        }
    }
}
