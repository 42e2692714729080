package io.holdfast.driver;

import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.engine.Command;
import io.holdfast.engine.view.TrackedRequestView;

import java.util.List;

/** A session of a client with a driver. Its commands are applied one after the other. */
public interface Session {
    /** Unique in the whole server, starting at 1, never reused. */
    long id();

    /**
     * Applies a command of this session, after those submitted before. Ignored after {@link
     * #close}.
     *
     * @return true if it has been applied: its immediate effects for this session are in the
     *     mailbox, which is not woken for them. False if it will be, or has been, applied by
     *     another thread: then the mailbox is woken, after its effect was added or {@link
     *     EffectMailbox#onPending} was called
     */
    boolean submit(Command.Keyed command);

    /**
     * Opens a client of the signals. Results that come later are added to the mailbox of this
     * session.
     */
    SignalClient openSignals(SignalEmitter signalEmitter);

    /**
     * The tracked acquires of this session with request numbers greater than {@code after}, in
     * order, up to {@code max}.
     */
    List<TrackedRequestView> trackedRequests(long after, int max);

    /** Whether the session has any hold. */
    boolean isHolding();

    /**
     * Ends the session: its waiters are removed and its holds are released according to the
     * settings. If there are very many, some of that happens after this method has returned.
     *
     * @param lastAnswered the last request whose response was written; the client does not have the
     *     tokens of later ones, so these holds are always released
     * @param released called once when everything has ended, on this thread or another
     */
    void close(long lastAnswered, Runnable released);

    /** Ends the session. */
    default void close(long lastAnswered) {
        close(lastAnswered, () -> {});
    }
}
