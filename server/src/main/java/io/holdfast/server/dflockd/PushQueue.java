package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.Listener;
import io.holdfast.driver.signal.Signal;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;

/**
 * Lines pushed to one connection, between emitters on any thread and the event loop that writes
 * them. What the socket would not take after a flush stays here; when that is too much, the
 * connection is full.
 */
final class PushQueue implements Listener {
    private static final Logger LOG = LoggerFactory.getLogger(PushQueue.class);

    /** What a place in the queue takes of the budget. */
    private static final int PLACE_BYTES = 16;

    /** A connection with fewer undelivered lines is never full. */
    private static final int FEWEST_LINES = 64;

    private final ByteBufAllocator allocator;
    private final EventExecutor loop;
    private final PushBudget budget;
    private final long mostBytes;
    private final Runnable write;
    private final Runnable cutOff;

    /** Guarded by this, like all that follows. */
    private final ArrayDeque<PushLine> lines = new ArrayDeque<>(2);

    private long bytes;

    /** The event loop was told to write, and has not begun. */
    private boolean writing;

    /** The socket takes no more; the event loop goes on by itself when it does. */
    private boolean stalled;

    private boolean overrun;
    private boolean closed;

    /**
     * @param mostBytes what may be undelivered
     * @param write writes what is here, on the event loop
     * @param cutOff closes the connection, on the event loop
     */
    PushQueue(
            ByteBufAllocator allocator,
            EventExecutor loop,
            PushBudget budget,
            long mostBytes,
            Runnable write,
            Runnable cutOff) {
        this.allocator = allocator;
        this.loop = loop;
        this.budget = budget;
        this.mostBytes = mostBytes;
        this.write = write;
        this.cutOff = cutOff;
    }

    @Override
    public synchronized boolean isFull() {
        if (closed || overrun || budget.isExhausted()) {
            return true;
        }
        return stalled && ((lines.size() >= FEWEST_LINES && bytes > mostBytes) || budget.isTight());
    }

    @Override
    public void deliver(Signal signal) {
        PushLine line = lineOf(signal);
        synchronized (this) {
            if (!closed) {
                lines.add(line);
                bytes += line.length();
                budget.take(PLACE_BYTES);
                if (stalled || writing) {
                    return;
                }
                writing = true;
                line = null;
            }
        }
        if (line == null) {
            execute(write);
        } else {
            line.release();
        }
    }

    private PushLine lineOf(Signal signal) {
        if (signal instanceof PushLine line) {
            return line;
        }
        PushLine line = new PushLine(allocator, signal.channel(), signal.payload(), 1, budget);
        signal.release();
        return line;
    }

    @Override
    public void overrun() {
        synchronized (this) {
            if (closed || overrun) {
                return;
            }
            overrun = true;
        }
        execute(cutOff);
    }

    /**
     * The next line to write. Null when there is none, or {@code ready} says that the socket takes
     * no more; the event loop is told again when a line comes, or goes on by itself.
     */
    synchronized @Nullable PushLine poll(boolean ready) {
        PushLine next = ready ? lines.poll() : null;
        if (next == null) {
            writing = false;
            stalled = !lines.isEmpty();
        } else {
            bytes -= next.length();
            budget.giveBack(PLACE_BYTES);
        }
        return next;
    }

    synchronized void close() {
        closed = true;
        bytes = 0;
        for (PushLine line = lines.poll(); line != null; line = lines.poll()) {
            line.release();
            budget.giveBack(PLACE_BYTES);
        }
    }

    private void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("signalled after the end"); // the event loop is gone, with the connection
        }
    }
}
