package io.holdfast.driver.frontend;

/** A part of a server that serves clients its own way, beside the listeners of the server. */
public interface FrontEnd extends AutoCloseable {
    /** Begins to serve: until then, what has been bound is not answered as ready. */
    void open();

    /** The server shuts down: nothing new is begun, and those who only listen are sent away. */
    void drain();

    /** Runs a task, on any thread, once what clients have sent by now has been read. */
    default void readRound(Runnable done) {
        done.run();
    }

    /** Whether nobody is left who would lose something now. */
    boolean isDrained();

    /** Ends everything that is left. */
    @Override
    void close();
}
