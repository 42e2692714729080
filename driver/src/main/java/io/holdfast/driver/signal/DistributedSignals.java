package io.holdfast.driver.signal;

import io.holdfast.driver.Session;

/**
 * Signals that also reach listeners on other servers. The requests of sessions are committed for
 * all servers in one order, and their results are delivered later.
 *
 * <p>Whether a listener is full is known to its own server only and does not affect the selection
 * of recipients: a full listener is overrun.
 */
public non-sealed interface DistributedSignals extends SignalService {
    /**
     * Submits a request of a session, after its earlier ones. The result is added to its mailbox,
     * which is woken: {@code Changed} for listen and unlisten, {@code Counted} for emit, or {@code
     * Refused}. Ignored after the end of the session.
     */
    void submit(Session session, SignalRequest request);

    /**
     * Delivers the signals of a session to a listener, until the session ends or {@link #detach}.
     * Must be called before the first listen request of the session.
     */
    void attach(Session session, SignalListener signalListener);

    /** Stops delivering to the listener of a session; its registrations end with the session. */
    void detach(Session session);
}
