package io.holdfast.driver;

import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.driver.view.ScanCursor;
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
     * @param effectMailbox receives results that come later; told if an operator ends the client
     */
    SignalClient openSignals(
            EffectMailbox effectMailbox, ClientInfo clientInfo, SignalEmitter signalEmitter);

    /** The display name of an open session; null if there is no such session. */
    @Nullable String nameOf(long session);

    /** The holders of a key; null if there are none. */
    @Nullable HolderView holders(ResourceKind resourceKind, Key key);

    /**
     * A key with up to {@code max} holders and up to {@code max} waiters after the first {@code
     * ahead}; null if it has neither.
     */
    @Nullable KeyView view(ResourceKind resourceKind, Key key, int ahead, int max);

    /** A key with up to {@code max} holders and {@code max} waiters; null if it has neither. */
    default @Nullable KeyView view(ResourceKind resourceKind, Key key, int max) {
        return view(resourceKind, key, 0, max);
    }

    /** The keys that have waiters, each with up to {@code max} holders and {@code max} waiters. */
    ScanCursor<QueueView> listQueues(int max);

    /** The sessions that are open. */
    ScanCursor<SessionView> listSessions();

    /** An open session of any node; null if there is no such session. */
    @Nullable SessionView session(long session);

    /** The holds and waiters of a session, up to {@code max} of each per shard. */
    List<HoldOrWaiterView> holdsAndWaiters(long session, int max);

    /**
     * Requests the owner of a session to end it; false if this node has no such session, or if the
     * owner rejects the request.
     */
    boolean kick(long session);

    /** Whether a session holds a key. */
    boolean isHolding(long session, ResourceKind resourceKind, Key key);

    /** The number of held keys and of holds of one kind. */
    HeldCounts countHeld(Namespace namespace, ResourceKind resourceKind);

    /** The usage of one kind in all namespaces. */
    ResourceKindUsage countUse(ResourceKind resourceKind);

    /**
     * How long, in nanoseconds, the current waiters for keys of one kind have waited, in no
     * particular order. Limited to the {@code max} longest waits of each shard and namespace.
     */
    long[] waited(ResourceKind resourceKind, int max);

    /** The keys of one kind that have holders. */
    ScanCursor<HolderView> listHolders(Namespace namespace, ResourceKind resourceKind);

    /** The number of open sessions. */
    int openSessions();

    /** A cryptographically random number for a token. */
    long salt();

    /** The keys that have holders or waiters. */
    ScanCursor<ResourceView> listInUse();

    /** The retained keys that have neither holders nor waiters. */
    ScanCursor<ResourceView> listIdle();

    ScanCursor<CounterView> listCounters();

    /** All values except expired ones. */
    ScanCursor<ValueView> listValues();

    ScanCursor<ListView> listLists();

    /**
     * How long acquires still wait because the server was started again without a clean stop; 0 if
     * they do not.
     */
    default long quarantineLeftNanos() {
        return 0;
    }

    /** Stops all timers; the sessions must have been closed before. */
    @Override
    void close();
}
