package io.holdfast.driver;

import io.holdfast.engine.CounterView;
import io.holdfast.engine.HeldCounts;
import io.holdfast.engine.HoldOrWaiterView;
import io.holdfast.engine.HolderView;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.ListView;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueueView;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.ResourceKindUsage;
import io.holdfast.engine.ResourceView;
import io.holdfast.engine.ValueView;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Serves sessions with an engine. Every method may be called from any thread. */
public interface Driver extends AutoCloseable {
    /** Opens a session; its effects go to the mailbox. */
    Session open(EffectMailbox effectMailbox, ClientInfo clientInfo);

    /** The name of an open session; null if there is none of that number. */
    @Nullable String nameOf(long session);

    /** Who holds a key; null if nobody does. */
    @Nullable HolderView holders(ResourceKind resourceKind, Key key);

    /**
     * How a key stands, with {@code most} holders at most, and as many of those who wait after the
     * first {@code ahead}; null if nobody uses it.
     */
    @Nullable KeyView view(ResourceKind resourceKind, Key key, int ahead, int most);

    /** How a key stands, with {@code most} of each at most; null if nobody uses it. */
    default @Nullable KeyView view(ResourceKind resourceKind, Key key, int most) {
        return view(resourceKind, key, 0, most);
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
    boolean isHolding(long session, ResourceKind resourceKind, Key key);

    /** How much of one kind is held. */
    HeldCounts countHeld(Namespace namespace, ResourceKind resourceKind);

    /** How much of one kind is in use in all namespaces. */
    ResourceKindUsage countUse(ResourceKind resourceKind);

    /**
     * How long those have waited so far who wait for keys of one kind, in no order. Of very many it
     * is those who have waited longest, {@code most} of each shard and namespace.
     */
    long[] waited(ResourceKind resourceKind, int most);

    /** The keys of one kind that somebody holds. */
    ScanCursor<HolderView> listHolders(Namespace namespace, ResourceKind resourceKind);

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

    /**
     * How long acquires still wait because the server was started again without a clean stop; 0 if
     * they do not.
     */
    default long quarantineLeftNanos() {
        return 0;
    }

    /** Stops all timers; sessions must have been closed before. */
    @Override
    void close();
}
