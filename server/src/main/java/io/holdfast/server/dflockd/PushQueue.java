package io.holdfast.server.dflockd;

import io.holdfast.driver.signal.Signal;
import io.holdfast.driver.signal.SignalListener;
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
final class PushQueue implements SignalListener {
    private static final Logger LOG = LoggerFactory.getLogger(PushQueue.class);

    /** A connection with fewer undelivered lines is never full. */
    private static final int MIN_LINES = 64;

    /** Who has not taken more than this is behind, and the first to go when memory is short. */
    private static final int BEHIND_BYTES = 64 * 1024;

    /** While a long answer of its own is written, a listener may have this many times as much. */
    private static final int BUSY_TIMES = 16;

    /** What a place in the queue takes of the budget. */
    private static final int ENTRY_BYTES = 16;

    /** A queue that was longer than this is not kept when it is empty. */
    private static final int RETAINED_LENGTH = 1024;

    /** Whether lines can be written. */
    enum Readiness {
        READY,
        /** Something else is being written; the event loop goes on when that is over. */
        BUSY,
        /** The socket takes no more; the event loop goes on when it does. */
        SOCKET_FULL
    }

    private final ByteBufAllocator allocator;
    private final EventExecutor loop;
    private final PushBudget budget;
    private final long mostBytes;
    private final Runnable write;
    private final Runnable cutOff;

    /** Guarded by this, like all that follows. */
    private ArrayDeque<PushLine> lines = new ArrayDeque<>(2);

    private long bytes;

    /** The most lines since it was empty. */
    private int peak;

    /** What is on its way to the socket. */
    private long inFlightBytes;

    /** The event loop was told to write, and has not begun. */
    private boolean writing;

    /** Lines wait until they can be written, and are looked at then without being told. */
    private boolean waiting;

    /** They wait because the socket takes no more. */
    private boolean socketFull;

    private boolean overrun;

    /** What was owed when the budget was relieved of it. */
    private long forgivenBytes;

    private boolean closed;

    /**
     * @param mostBytes what may be undelivered; 0 is no limit but the budget
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
        this.mostBytes = mostBytes == 0 ? Long.MAX_VALUE : mostBytes;
        this.write = write;
        this.cutOff = cutOff;
    }

    @Override
    public synchronized boolean isFull() {
        if (closed || overrun) {
            return true;
        }
        if (lines.size() < MIN_LINES) {
            return false;
        }
        if (waiting) {
            return bytes / (socketFull ? 1 : BUSY_TIMES) > mostBytes;
        }
        return bytes > BEHIND_BYTES && budget.isExhausted(); // nobody has tried to write it
    }

    @Override
    public void deliver(Signal signal) {
        PushLine line = lineOf(signal);
        boolean taken = false;
        boolean wake = false;
        synchronized (this) {
            if (!closed) {
                taken = true;
                lines.add(line);
                peak = Math.max(peak, lines.size());
                bytes += line.length();
                wake = !waiting && !writing;
                writing |= wake;
                if (waiting && isBehind()) {
                    budget.setBehind(this, true);
                }
            }
        }
        if (!taken) {
            line.release();
            return;
        }
        budget.reserve(ENTRY_BYTES);
        if (wake) {
            execute(write);
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
        boolean _ = overrun(0);
    }

    /** As {@link #overrun()}, to relieve the budget of a debt; false if it is closing already. */
    boolean overrun(long debtBytes) {
        synchronized (this) {
            if (closed || overrun) {
                return false;
            }
            overrun = true;
            forgivenBytes = debtBytes;
        }
        execute(cutOff);
        return true;
    }

    /** What was sent and not taken. */
    synchronized long debtBytes() {
        return bytes + inFlightBytes;
    }

    /** Counts what is on its way to the socket, or has arrived there. */
    void addInFlight(int change) {
        synchronized (this) {
            inFlightBytes += change;
            budget.setBehind(this, isBehind());
        }
    }

    private boolean isBehind() {
        return !closed && !overrun && bytes + inFlightBytes > BEHIND_BYTES;
    }

    /**
     * The next line to write. Null when there is none, or now is not the time; the event loop is
     * told again when a line comes, or goes on by itself.
     */
    synchronized @Nullable PushLine poll(Readiness readiness) {
        PushLine next = readiness == Readiness.READY ? lines.poll() : null;
        if (next == null) {
            writing = false;
            waiting = !lines.isEmpty();
            socketFull = waiting && readiness == Readiness.SOCKET_FULL;
            if (!waiting) {
                if (peak > RETAINED_LENGTH) {
                    lines = new ArrayDeque<>(2);
                }
                peak = 0;
            }
        } else {
            bytes -= next.length();
            budget.release(ENTRY_BYTES);
        }
        return next;
    }

    /** The event loop stopped with lines left, and will go on without being told. */
    synchronized void pause() {
        writing = true;
        waiting = false;
        socketFull = false;
    }

    void close() {
        long forgiven;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            bytes = 0;
            forgiven = forgivenBytes;
            for (PushLine line = lines.poll(); line != null; line = lines.poll()) {
                line.release();
                budget.release(ENTRY_BYTES);
            }
            budget.setBehind(this, false);
        }
        budget.left(forgiven);
    }

    private void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("signalled after the end"); // the event loop is gone, with the connection
        }
    }
}
