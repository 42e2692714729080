package io.holdfast.driver.frontend;

/**
 * A part of a server that serves clients with its own protocol stack, beside the listeners of the
 * server.
 */
public interface FrontEnd extends AutoCloseable {
    /** Starts to serve: until then, the bound ports do not report to be ready. */
    void open();

    /**
     * The server shuts down: new work is rejected, and clients that only listen to events are
     * disconnected.
     */
    void drain();

    /** Runs a task, on any thread, once the input pending now has been read. */
    default void afterInputRead(Runnable done) {
        done.run();
    }

    /** Whether no client is left that would lose holds or waits by a stop. */
    boolean isDrained();

    /** Closes all connections and sessions that are left. */
    @Override
    void close();
}
