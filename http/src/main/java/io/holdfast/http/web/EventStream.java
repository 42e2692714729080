package io.holdfast.http.web;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.json.JsonObject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A stream of server-sent events to one client. Belongs to the event loop. A writer that may exceed
 * the speed of the client must check {@link #isFull}; a client that reads nothing for 30 s is
 * disconnected.
 */
public final class EventStream {
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long STUCK_MILLIS = TimeUnit.NANOSECONDS.toMillis(STUCK_NANOS);
    private static final long CHECK_INTERVAL_MILLIS = 5_000;

    private final HttpContext httpContext;
    private final Vertx vertx;
    private final HttpServerResponse response;

    /** Closes the connection at once, even if data is still to be written. */
    private final Runnable reset;

    private final long stuckTimer;
    private long unwritten;
    private long progressNanos;
    private boolean ended;
    private final List<Runnable> onEnd = new ArrayList<>();

    EventStream(HttpContext httpContext, Vertx vertx, HttpServerResponse response, Runnable reset) {
        this.httpContext = httpContext;
        this.vertx = vertx;
        this.response = response;
        this.reset = reset;
        this.stuckTimer = vertx.setPeriodic(CHECK_INTERVAL_MILLIS, _ -> endIfStuck());
        httpContext.add(this);
        comment("ok");
    }

    /** Sends an event. */
    public void send(String event, JsonObject data) {
        ByteBuf out = Unpooled.buffer(256);
        ByteBufUtil.writeAscii(out, "event: ");
        ByteBufUtil.writeUtf8(out, event);
        ByteBufUtil.writeAscii(out, "\ndata: ");
        JsonWriter.write(data, out);
        ByteBufUtil.writeAscii(out, "\n\n");
        write(BufferInternal.buffer(out));
    }

    /** Sends a comment, which clients ignore. */
    public void comment(String text) {
        write(Buffer.buffer(":" + text + "\n\n"));
    }

    private void write(Buffer bytes) {
        if (ended) {
            return;
        }
        if (unwritten++ == 0) {
            progressNanos = System.nanoTime();
        }
        response.write(bytes)
                .onComplete(
                        _ -> {
                            unwritten--;
                            progressNanos = System.nanoTime();
                        });
    }

    /** Whether the write queue is full; {@link #onDrained} reports when it no longer is. */
    public boolean isFull() {
        return !ended && response.writeQueueFull();
    }

    public void onDrained(Runnable task) {
        response.drainHandler(_ -> task.run());
    }

    private void endIfStuck() {
        if (unwritten > 0 && System.nanoTime() - progressNanos > STUCK_NANOS) {
            reset.run();
        }
    }

    /** Sends a comment at every interval, so that either side notices if the other has gone. */
    public void pingEvery(Duration span) {
        if (span.isPositive()) {
            long timer = vertx.setPeriodic(span.toMillis(), _ -> comment("ping"));
            onEnd(() -> vertx.cancelTimer(timer));
        }
    }

    /** Runs a task once when the stream has ended, whichever side ended it. */
    public void onEnd(Runnable task) {
        if (ended) {
            task.run();
        } else {
            onEnd.add(task);
        }
    }

    public boolean isEnded() {
        return ended;
    }

    /** Ends the stream: gracefully, unless the client is behind. */
    public void close() {
        if (ended) {
            return;
        }
        boolean stuck = isFull();
        ended();
        if (stuck) {
            reset.run();
        } else {
            long timer = vertx.setTimer(STUCK_MILLIS, _ -> reset.run());
            response.end().onComplete(_ -> vertx.cancelTimer(timer));
        }
    }

    void ended() {
        if (ended) {
            return;
        }
        ended = true;
        onEnd.forEach(Runnable::run);
        vertx.cancelTimer(stuckTimer);
        httpContext.remove(this);
    }
}
