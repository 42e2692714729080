package io.holdfast.server.dflockd;

import com.google.errorprone.annotations.concurrent.GuardedBy;

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
 * The queue of lines pushed to one connection: emitters add on any thread, the event loop writes.
 * Lines stay here while the socket is not writable; with too many bytes the queue is full.
 */
final class PushQueue implements SignalListener {
    private static final Logger LOG = LoggerFactory.getLogger(PushQueue.class);

    /** A queue with fewer lines is never full. */
    private static final int MIN_LINES = 64;

    /**
     * A listener with more unread bytes is behind, and may be disconnected to relieve the budget.
     */
    private static final int BEHIND_BYTES = 64 * 1024;

    /** Factor of the limit while a long response is written on the listener's connection. */
    private static final int BUSY_FACTOR = 16;

    /** Budget that an entry of the queue reserves. */
    private static final int ENTRY_BYTES = 16;

    /** An empty queue is replaced if it was longer than this. */
    private static final int RETAINED_LENGTH = 1024;

    /** Whether lines can be written. */
    enum Readiness {
        READY,
        /** A response is being written; the event loop continues after it. */
        BUSY,
        /** The socket is not writable; the event loop continues when it is. */
        SOCKET_FULL
    }

    private final ByteBufAllocator allocator;
    private final EventExecutor loop;
    private final PushBudget budget;
    private final long maxBytes;
    private final Runnable write;
    private final Runnable disconnect;

    @GuardedBy("this")
    private ArrayDeque<PushLine> lines = new ArrayDeque<>(2);

    @GuardedBy("this")
    private long bytes;

    /** Maximum length since it was empty. */
    @GuardedBy("this")
    private int peak;

    /** Bytes handed to the socket and not written yet. */
    @GuardedBy("this")
    private long inFlightBytes;

    /** The write task is scheduled, and has not begun. */
    @GuardedBy("this")
    private boolean writing;

    /** Lines wait until they can be written; the event loop continues then without a write task. */
    @GuardedBy("this")
    private boolean waiting;

    /** Lines wait because the socket is not writable. */
    @GuardedBy("this")
    private boolean socketFull;

    @GuardedBy("this")
    private boolean overrun;

    /** The unread bytes with which it was disconnected to relieve the budget. */
    @GuardedBy("this")
    private long relievedBytes;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param maxBytes limit of unwritten bytes; 0 is no limit but the budget
     * @param write writes the queued lines; run on the event loop
     * @param disconnect closes the connection; run on the event loop
     */
    PushQueue(
            ByteBufAllocator allocator,
            EventExecutor loop,
            PushBudget budget,
            long maxBytes,
            Runnable write,
            Runnable disconnect) {
        this.allocator = allocator;
        this.loop = loop;
        this.budget = budget;
        this.maxBytes = maxBytes == 0 ? Long.MAX_VALUE : maxBytes;
        this.write = write;
        this.disconnect = disconnect;
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
            return bytes / (socketFull ? 1 : BUSY_FACTOR) > maxBytes;
        }
        return bytes > BEHIND_BYTES && budget.isExhausted(); // not written yet
    }

    @Override
    public void deliver(Signal signal) {
        PushLine line = lineOf(signal);
        boolean accepted = false;
        boolean wake = false;
        synchronized (this) {
            if (!closed) {
                accepted = true;
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
        if (!accepted) {
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

    /** As {@link #overrun()}, to free this many unread bytes; false if it is already closing. */
    boolean overrun(long debtBytes) {
        synchronized (this) {
            if (closed || overrun) {
                return false;
            }
            overrun = true;
            relievedBytes = debtBytes;
        }
        execute(disconnect);
        return true;
    }

    /** Bytes that the client has not read yet, as far as known. */
    synchronized long debtBytes() {
        return bytes + inFlightBytes;
    }

    /** Adds to the bytes in flight to the socket, or subtracts written ones. */
    void addInFlight(int change) {
        synchronized (this) {
            inFlightBytes += change;
            budget.setBehind(this, isBehind());
        }
    }

    @GuardedBy("this")
    private boolean isBehind() {
        return !closed && !overrun && bytes + inFlightBytes > BEHIND_BYTES;
    }

    /**
     * The next line to write. Null if there is none or it cannot be written now: then the write
     * task is scheduled for the next line, or the event loop continues when it can write.
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

    /** The event loop stopped with lines left, and has scheduled its continuation. */
    synchronized void pause() {
        writing = true;
        waiting = false;
        socketFull = false;
    }

    void close() {
        long relieved;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            bytes = 0;
            relieved = relievedBytes;
            for (PushLine line = lines.poll(); line != null; line = lines.poll()) {
                line.release();
                budget.release(ENTRY_BYTES);
            }
            budget.setBehind(this, false);
        }
        budget.left(relieved);
    }

    private void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("push dropped: the event loop has stopped"); // so has the connection
        }
    }
}
