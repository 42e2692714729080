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
 * Server-sent events to one client. Belongs to the event loop. Who writes more than the client
 * takes has to look at {@link #isFull}; a client that takes nothing at all is sent away.
 */
public final class EventStream {
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long STUCK_MILLIS = TimeUnit.NANOSECONDS.toMillis(STUCK_NANOS);
    private static final long CHECK_INTERVAL_MILLIS = 5_000;

    private final HttpContext httpContext;
    private final Vertx vertx;
    private final HttpServerResponse response;

    /** Ends the connection, whatever there is still to be written. */
    private final Runnable reset;

    private final long look;
    private long unwritten;
    private long progressNanos;
    private boolean ended;
    private final List<Runnable> onEnd = new ArrayList<>();

    EventStream(HttpContext httpContext, Vertx vertx, HttpServerResponse response, Runnable reset) {
        this.httpContext = httpContext;
        this.vertx = vertx;
        this.response = response;
        this.reset = reset;
        this.look = vertx.setPeriodic(CHECK_INTERVAL_MILLIS, _ -> endIfStuck());
        httpContext.add(this);
        comment("ok");
    }

    /** Tells an event. */
    public void send(String event, JsonObject data) {
        ByteBuf out = Unpooled.buffer(256);
        ByteBufUtil.writeAscii(out, "event: ");
        ByteBufUtil.writeUtf8(out, event);
        ByteBufUtil.writeAscii(out, "\ndata: ");
        JsonWriter.write(data, out);
        ByteBufUtil.writeAscii(out, "\n\n");
        write(BufferInternal.buffer(out));
    }

    /** Says something that is no event, only to say something. */
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

    /** Whether the client is behind; {@link #onDrained} tells when it has caught up. */
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

    /** Says something now and then, so that both sides notice if the other has gone. */
    public void pingEvery(Duration span) {
        if (span.isPositive()) {
            long timer = vertx.setPeriodic(span.toMillis(), _ -> comment("ping"));
            onEnd(() -> vertx.cancelTimer(timer));
        }
    }

    /** Called once when the stream has ended, whoever ended it. */
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

    /** Ends the stream: properly, unless its client takes nothing. */
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
        vertx.cancelTimer(look);
        httpContext.remove(this);
    }
}
