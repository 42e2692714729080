package io.holdfast.driver;

/** Everything that clients have sent so far, and that waits in sockets. */
@FunctionalInterface
public interface ReadRound {
    /** Where no input waits in sockets. */
    ReadRound NONE = Runnable::run;

    /**
     * Runs a task once each socket that has input now has been read once, or is gone.
     *
     * @param done called once, on any thread; must be quick
     */
    void then(Runnable done);
}
