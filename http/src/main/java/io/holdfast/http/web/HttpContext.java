package io.holdfast.http.web;

import io.holdfast.driver.frontend.FrontEndServices;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What all exchanges have in common. Everything but {@link #runOnEventLoop} belongs to the event
 * loop.
 */
public final class HttpContext {
    /** How many look through everything at the same time; others wait. */
    private static final int OFF_LOOP = 4;

    /** Answers up to this length are never too many. */
    private static final int SMALL = 64 * 1024;

    private final FrontEndServices frontEndServices;
    private final Authenticator authenticator;
    private final Context loop;
    private final Set<EventStream> streams = new HashSet<>();
    private final Semaphore offLoop = new Semaphore(OFF_LOOP);
    private final long mostKept = Runtime.getRuntime().maxMemory() / 16;
    private long reservedBytes;
    private final AtomicBoolean open = new AtomicBoolean();

    /**
     * @param loop the one event loop
     */
    public HttpContext(
            FrontEndServices frontEndServices, Authenticator authenticator, Context loop) {
        this.frontEndServices = frontEndServices;
        this.authenticator = authenticator;
        this.loop = loop;
    }

    public FrontEndServices backend() {
        return frontEndServices;
    }

    Authenticator access() {
        return authenticator;
    }

    public Context loop() {
        return loop;
    }

    Vertx vertx() {
        return loop.owner();
    }

    Semaphore offLoop() {
        return offLoop;
    }

    /** Counts bytes of an answer until it is read; false if there are too many. */
    boolean reserve(long bytes) {
        if (bytes > SMALL && reservedBytes > 0 && reservedBytes + bytes > mostKept) {
            return false;
        }
        reservedBytes += bytes;
        return true;
    }

    void release(long bytes) {
        reservedBytes -= bytes;
    }

    /** All listeners are there. */
    public void open() {
        open.set(true);
    }

    public boolean isOpen() {
        return open.get();
    }

    public boolean isDraining() {
        return frontEndServices.draining().getAsBoolean();
    }

    /** Runs something on the event loop, unless that has ended; from any thread. */
    public void runOnEventLoop(Runnable task) {
        try {
            loop.runOnContext(_ -> task.run());
        } catch (RejectedExecutionException _) {
            // all connections ended with it: nobody waits for this
        }
    }

    void add(EventStream stream) {
        streams.add(stream);
    }

    void remove(EventStream stream) {
        streams.remove(stream);
    }

    /** Ends all streams. */
    public void endStreams() {
        List.copyOf(streams).forEach(EventStream::close);
    }
}
