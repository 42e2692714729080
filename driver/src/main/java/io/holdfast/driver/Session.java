package io.holdfast.driver;

import io.holdfast.engine.Command;
import io.holdfast.engine.TrackedRequestView;

import java.util.List;

/** One client's presence. Its commands are applied one after the other. */
public interface Session {
    /** From one sequence for the whole server, starting at 1, never reused. */
    long id();

    /**
     * Applies a command of this session, after those submitted before. After {@link #close} nothing
     * happens any more.
     *
     * @return true if it has been applied: effects for this session that follow at once are in its
     *     mailbox, which is not woken for them. False if it will be, or has been by another thread:
     *     then the mailbox is woken, with its answer in it or told that it {@link
     *     EffectMailbox#onPending}
     */
    boolean submit(Command.Keyed command);

    /**
     * The tracked acquires of this session with request numbers above one, in order, so many at
     * most.
     */
    List<TrackedRequestView> trackedRequests(long after, int most);

    /** Whether the session holds anything. */
    boolean isHolding();

    /**
     * Ends the session: its waits end and its holds are released as the settings say, the last of
     * very many perhaps a little later.
     *
     * @param lastAnswered the last request whose answer was written; nobody knows the tokens of
     *     later ones, so they are released in any case
     * @param released called once everything is, on this thread or another
     */
    void close(long lastAnswered, Runnable released);

    /** Ends the session. */
    default void close(long lastAnswered) {
        close(lastAnswered, () -> {});
    }
}
