package io.holdfast.driver;

import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.driver.view.Queries;
import io.holdfast.driver.view.ScanCursor;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** Gives sessions access to a lock engine. Thread-safe. */
public interface Driver extends AutoCloseable {
    /** Opens a session whose effects are delivered to the mailbox. */
    Session open(EffectMailbox effectMailbox, ClientInfo clientInfo);

    /** The signals that clients emit and listen to. */
    SignalService signals();

    /**
     * Opens a client of the signals that has no session, or listens for a shorter time than its
     * session lasts.
     *
     * @param effectMailbox receives later results and the requests of operators to end the client
     */
    SignalClient openSignals(
            EffectMailbox effectMailbox, ClientInfo clientInfo, SignalEmitter signalEmitter);

    /** Queries of locks and data. In a cluster, this node may be slightly behind. */
    Queries queries();

    /** The display name of an open session; null if there is no such session. */
    @Nullable String nameOf(long session);

    /** The sessions that are open. */
    ScanCursor<SessionView> listSessions();

    /** An open session of any node; null if there is no such session. */
    @Nullable SessionView session(long session);

    /**
     * Requests the owner of a session to end it; false if this node has no such session, or if the
     * owner rejects the request.
     */
    boolean kick(long session);

    /** The number of open sessions. */
    int openSessions();

    /** A cryptographically random number for a token. */
    long salt();

    /**
     * For a period from now, grants nothing but shared locks: acquires are queued. A later call
     * replaces the period. Must be called before clients are served. Does nothing in a driver that
     * keeps holds over a restart.
     */
    default void quarantine(Duration period) {}

    /**
     * How long acquires still wait because the server was started again without a clean stop, or
     * its cluster was recovered; 0 if they do not.
     */
    default long quarantineLeftNanos() {
        return 0;
    }

    /** Stops all timers; the sessions must have been closed before. */
    @Override
    void close();
}
