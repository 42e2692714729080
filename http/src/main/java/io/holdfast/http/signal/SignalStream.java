package io.holdfast.http.signal;

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
 * One who listens. Signals wait here for the event loop; those for which there is no room are
 * dropped.
 */
final class SignalStream implements SignalListener {
    /** How many wait at most for a client that does not read. */
    static final int MAX_UNDELIVERED = 64;

    /** How much waits at most for an event loop that has not had its turn. */
    private static final int MAX_WAITING = 4096;

    private static final int MAX_BYTES = 1 << 20;

    /** How many are written before others have their turn. */
    private static final int TURN = 256;

    private record QueuedSignal(Key channel, ByteString payload) {
        int bytes() {
            return channel.bytes().length + payload.length();
        }
    }

    private final HttpContext httpContext;
    private @Nullable EventStream stream;
    private final Queue<QueuedSignal> queue = new ArrayDeque<>();
    private long bytes;

    /** The event loop was told, or waits until the client reads. */
    private boolean awake;

    private boolean clientIsBehind;
    private boolean closed;

    SignalStream(HttpContext httpContext) {
        this.httpContext = httpContext;
    }

    /** Begins to write; on the event loop. */
    void writeTo(EventStream opened) {
        synchronized (this) {
            stream = opened;
        }
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
            if (isFull()) { // somebody else was quicker
                return;
            }
            queue.add(queuedSignal);
            bytes += queuedSignal.bytes();
            if (awake) {
                return;
            }
            awake = true;
        }
        httpContext.runOnEventLoop(this::write);
    }

    @Override
    public void overrun() {} // what finds no room is dropped, and the client stays

    /** Writes as long as the client takes it; on the event loop. */
    private void write() {
        EventStream to = stream;
        for (int i = 0; to != null && i < TURN; i++) {
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
            return null; // goes on when it is drained
        }
        QueuedSignal next = queue.poll();
        if (next == null) {
            awake = false;
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
