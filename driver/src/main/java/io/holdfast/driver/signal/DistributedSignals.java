package io.holdfast.driver.signal;

import io.holdfast.driver.Session;

/**
 * Signals that reach those who listen on other servers too. What a session asks is decided for all
 * servers in one order, and answered later.
 *
 * <p>Whether a listener has room is known to its own server alone and does not change who is
 * chosen: one without room is overrun.
 */
public non-sealed interface DistributedSignals extends SignalService {
    /**
     * Asks on behalf of a session, after what it asked before. Its mailbox is woken with the
     * answer: {@code Changed} to listen and unlisten, {@code Counted} to emit, or {@code Refused}.
     * After the end of the session nothing happens any more.
     */
    void submit(Session session, SignalRequest request);

    /**
     * Gives a listener what its session listens to, until the session ends or {@link #detach}. To
     * be called before the session first asks to listen.
     */
    void attach(Session session, SignalListener signalListener);

    /** The listener of a session hears no more; its registrations end with the session. */
    void detach(Session session);
}
