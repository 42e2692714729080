package io.holdfast.driver;

import io.holdfast.engine.CounterView;
import io.holdfast.engine.HeldCount;
import io.holdfast.engine.HoldOrWaiterView;
import io.holdfast.engine.HolderView;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.Kind;
import io.holdfast.engine.KindUsage;
import io.holdfast.engine.ListView;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueueView;
import io.holdfast.engine.ResourceView;
import io.holdfast.engine.ValueView;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Serves sessions with an engine. Every method may be called from any thread. */
public interface Driver extends AutoCloseable {
    /** Opens a session; its effects go to the mailbox. */
    Session open(Mailbox mailbox, ClientInfo clientInfo);

    /** The name of an open session; null if there is none of that number. */
    @Nullable String nameOf(long session);

    /** Who holds a key; null if nobody does. */
    @Nullable HolderView holders(Kind kind, Key key);

    /**
     * How a key stands, with {@code most} holders at most, and as many of those who wait after the
     * first {@code ahead}; null if nobody uses it.
     */
    @Nullable KeyView view(Kind kind, Key key, int ahead, int most);

    /** How a key stands, with {@code most} of each at most; null if nobody uses it. */
    default @Nullable KeyView view(Kind kind, Key key, int most) {
        return view(kind, key, 0, most);
    }

    /** The keys that somebody waits for, with so many holders and waiters of each at most. */
    ScanCursor<QueueView> listQueues(int most);

    /** The sessions that are open. */
    ScanCursor<SessionView> listSessions();

    /** A session that is open, on whatever node; null if none of that number is known. */
    @Nullable SessionView session(long session);

    /** What a session holds and waits for, so many of each shard at most. */
    List<HoldOrWaiterView> holdsAndWaiters(long session, int most);

    /**
     * Asks the owner of a session to end it; false if this node has none of that number, or if its
     * owner cannot do without it.
     */
    boolean kick(long session);

    /** Whether a session holds a key. */
    boolean isHolding(long session, Kind kind, Key key);

    /** How much of one kind is held. */
    HeldCount countHeld(Namespace namespace, Kind kind);

    /** How much of one kind is in use in all namespaces. */
    KindUsage countUse(Kind kind);

    /**
     * How long those have waited so far who wait for keys of one kind, in no order. Of very many it
     * is those who have waited longest, {@code most} of each shard and namespace.
     */
    long[] waited(Kind kind, int most);

    /** The keys of one kind that somebody holds. */
    ScanCursor<HolderView> listHolders(Namespace namespace, Kind kind);

    /** How many sessions are open. */
    int openSessions();

    /** A random number for a token, that nobody can guess from another. */
    long salt();

    /** The keys that have holders or waiters. */
    ScanCursor<ResourceView> listInUse();

    /** The keys that have neither and are still remembered. */
    ScanCursor<ResourceView> listIdle();

    ScanCursor<CounterView> listCounters();

    /** Values whose time is over are left out. */
    ScanCursor<ValueView> listValues();

    ScanCursor<ListView> listLists();

    /** Stops all timers; sessions must have been closed before. */
    @Override
    void close();
}
