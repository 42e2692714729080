package io.holdfast.driver;

import io.holdfast.engine.CounterView;
import io.holdfast.engine.ListView;
import io.holdfast.engine.ResourceView;
import io.holdfast.engine.ValueView;

/** Serves sessions with an engine. Every method may be called from any thread. */
public interface Driver extends AutoCloseable {
    /** Opens a session; its effects go to the mailbox. */
    Session open(Mailbox mailbox);

    /** How many sessions are open. */
    int openSessions();

    /** A random number for a token, that nobody can guess from another. */
    long salt();

    /** The keys that have holders or waiters. */
    Slices<ResourceView> listInUse();

    /** The keys that have neither and are still remembered. */
    Slices<ResourceView> listIdle();

    Slices<CounterView> listCounters();

    /** Values whose time is over are left out. */
    Slices<ValueView> listValues();

    Slices<ListView> listLists();

    /** Stops all timers; sessions must have been closed before. */
    @Override
    void close();
}
