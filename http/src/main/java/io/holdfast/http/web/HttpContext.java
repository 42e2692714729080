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
 * State that all exchanges share. Everything but {@link #runOnEventLoop} belongs to the event loop.
 */
public final class HttpContext {
    /** Maximum number of concurrent scans of the server's state; others wait. */
    private static final int MAX_OFF_LOOP = 4;

    /** Responses up to this size, in bytes, are not limited. */
    private static final int MAX_SMALL_BYTES = 64 * 1024;

    private final FrontEndServices frontEndServices;
    private final Authenticator authenticator;
    private final Context loop;
    private final Set<EventStream> streams = new HashSet<>();
    private final Semaphore offLoop = new Semaphore(MAX_OFF_LOOP);
    private final long maxReservedBytes = Runtime.getRuntime().maxMemory() / 16;
    private long reservedBytes;
    private final AtomicBoolean open = new AtomicBoolean();

    /**
     * @param loop the only event loop
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

    /**
     * Reserves memory for a response until it is written; false if the limit of all responses is
     * reached.
     */
    boolean reserve(long bytes) {
        if (bytes > MAX_SMALL_BYTES
                && reservedBytes > 0
                && reservedBytes + bytes > maxReservedBytes) {
            return false;
        }
        reservedBytes += bytes;
        return true;
    }

    void release(long bytes) {
        reservedBytes -= bytes;
    }

    /** Called when all listeners of the server are bound. */
    public void open() {
        open.set(true);
    }

    public boolean isOpen() {
        return open.get();
    }

    public boolean isDraining() {
        return frontEndServices.draining().getAsBoolean();
    }

    /** Runs a task on the event loop, from any thread; does nothing if the event loop has ended. */
    public void runOnEventLoop(Runnable task) {
        try {
            loop.runOnContext(_ -> task.run());
        } catch (RejectedExecutionException _) {
            // all connections have ended too, so the task has no effect
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
