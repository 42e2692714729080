package io.holdfast.driver;

/** Serves sessions with an engine. Every method may be called from any thread. */
public interface Driver extends AutoCloseable {
    /** Opens a session; its effects go to the mailbox. */
    Session open(Mailbox mailbox);

    /** How many sessions are open. */
    int openSessions();

    /** A random number for a token, that nobody can guess from another. */
    long salt();

    /** The keys that have holders or waiters. */
    ResourceListing listInUse();

    /** The keys that have neither and are still remembered. */
    ResourceListing listIdle();

    /** Stops all timers; sessions must have been closed before. */
    @Override
    void close();
}
