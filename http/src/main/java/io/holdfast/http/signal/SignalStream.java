package io.holdfast.http.signal;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.signal.Signal;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.http.inspect.JsonFormat;
import io.holdfast.http.web.EventStream;
import io.holdfast.http.web.HttpContext;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The listener behind a stream. Signals are queued for the event loop; those that exceed the limits
 * are dropped.
 */
final class SignalStream implements SignalListener {
    /** Maximum number of queued signals while the client is behind. */
    static final int MAX_UNDELIVERED = 64;

    /** Maximum number and total size of the signals that are queued for the event loop. */
    private static final int MAX_WAITING = 4096;

    private static final int MAX_BYTES = 1 << 20;

    /** Maximum number of signals written in one task of the event loop. */
    private static final int BATCH = 256;

    private record QueuedSignal(Key channel, ByteString payload) {
        int bytes() {
            return channel.bytes().length + payload.length();
        }
    }

    private final HttpContext httpContext;

    /** Used on the event loop only. */
    private @Nullable EventStream stream;

    @GuardedBy("this")
    private final Queue<QueuedSignal> queue = new ArrayDeque<>();

    @GuardedBy("this")
    private long bytes;

    /** Whether {@link #write} is scheduled, or will be called when the client has read. */
    @GuardedBy("this")
    private boolean scheduled;

    @GuardedBy("this")
    private boolean clientIsBehind;

    @GuardedBy("this")
    private boolean closed;

    SignalStream(HttpContext httpContext) {
        this.httpContext = httpContext;
    }

    /** Starts to write to a stream; on the event loop. */
    void writeTo(EventStream opened) {
        stream = opened;
        opened.onDrained(this::write);
        write();
    }

    @Override
    public synchronized boolean isFull() {
        return closed
                || queue.size() >= (clientIsBehind ? MAX_UNDELIVERED : MAX_WAITING)
                || bytes > MAX_BYTES;
    }

    @Override
    public void deliver(Signal signal) {
        QueuedSignal queuedSignal = new QueuedSignal(signal.channel(), signal.payload());
        signal.release();
        synchronized (this) {
            if (isFull()) { // another thread filled the queue meanwhile
                return;
            }
            queue.add(queuedSignal);
            bytes += queuedSignal.bytes();
            if (scheduled) {
                return;
            }
            scheduled = true;
        }
        httpContext.runOnEventLoop(this::write);
    }

    @Override
    public void overrun() {} // the signal is dropped, and the client stays connected

    /** Writes signals until the client is behind or the queue is empty; on the event loop. */
    private void write() {
        EventStream to = stream;
        for (int i = 0; to != null && i < BATCH; i++) {
            QueuedSignal next = poll(to);
            if (next == null) {
                return;
            }
            to.send(
                    "sig",
                    new JsonObject()
                            .put("channel", JsonFormat.text(next.channel().bytes()))
                            .put("payload", JsonFormat.text(next.payload().bytes())));
        }
        if (to != null) {
            httpContext.runOnEventLoop(this::write);
        }
    }

    private synchronized @Nullable QueuedSignal poll(EventStream to) {
        clientIsBehind = to.isFull();
        if (clientIsBehind) {
            return null; // continues when the stream is drained
        }
        QueuedSignal next = queue.poll();
        if (next == null) {
            scheduled = false;
        } else {
            bytes -= next.bytes();
        }
        return next;
    }

    synchronized void close() {
        closed = true;
        queue.clear();
        bytes = 0;
    }
}
