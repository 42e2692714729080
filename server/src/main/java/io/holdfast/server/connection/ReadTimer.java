package io.holdfast.server.connection;

import io.netty.util.concurrent.EventExecutor;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The read timeout of a connection: how long a client may take for a line, or for a message. It
 * does not count while a request is served. Confined to the event loop.
 */
final class ReadTimer {
    private final EventExecutor loop;

    /** 0 is no limit. */
    private final long timeoutNanos;

    private final BooleanSupplier isAwaitingInput;
    private final Runnable onTimeout;

    /** Whether a line is awaited that the timeout applies to. */
    private boolean awaiting;

    private long awaitingSinceNanos;
    private long linesSeen;

    /** Set while a line is awaited, and until it is noticed that none is. */
    private @Nullable Future<?> timer;

    /**
     * @param isAwaitingInput whether the connection waits for the client
     */
    ReadTimer(
            EventExecutor loop,
            long timeoutNanos,
            BooleanSupplier isAwaitingInput,
            Runnable onTimeout) {
        this.loop = loop;
        this.timeoutNanos = timeoutNanos;
        this.isAwaitingInput = isAwaitingInput;
        this.onTimeout = onTimeout;
    }

    /**
     * Everything complete has been served. A timeout that has begun continues if no line was
     * completed since.
     *
     * @param linesRead the number of lines completed so far
     * @param applies whether the timeout applies now
     */
    void await(long linesRead, boolean applies) {
        boolean begins = applies && (!awaiting || linesRead != linesSeen);
        awaiting = applies;
        if (begins && timeoutNanos > 0) {
            linesSeen = linesRead;
            restart();
            if (timer == null) {
                schedule(timeoutNanos);
            }
        }
    }

    /** The connection begins to wait for the client again. */
    void restart() {
        awaitingSinceNanos = loop.ticker().nanoTime();
    }

    void stop() {
        awaiting = false;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void schedule(long nanos) {
        timer = loop.schedule(this::check, nanos, TimeUnit.NANOSECONDS);
    }

    private void check() {
        timer = null;
        if (!awaiting) {
            return;
        }
        long left = timeoutNanos - (loop.ticker().nanoTime() - awaitingSinceNanos);
        if (!isAwaitingInput.getAsBoolean()) {
            schedule(timeoutNanos);
        } else if (left > 0) {
            schedule(left);
        } else {
            onTimeout.run();
        }
    }
}
