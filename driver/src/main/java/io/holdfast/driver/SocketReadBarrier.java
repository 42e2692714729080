package io.holdfast.driver;

/** Waits until the input that is pending in sockets has been read. */
@FunctionalInterface
public interface SocketReadBarrier {
    /** For drivers without sockets: runs the task at once. */
    SocketReadBarrier NONE = Runnable::run;

    /**
     * Runs a task once every socket that has input now has been read once or closed.
     *
     * @param done called once, on any thread; must be quick
     */
    void then(Runnable done);
}
