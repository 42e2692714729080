package io.holdfast.engine.lock;

import io.holdfast.engine.Quotas;
import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.hash.HashedRecord;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The state of one session in this engine: its holds and waiters in order, and its enqueued and
 * tracked requests.
 */
final class SessionState extends HashedRecord {
    final long id;
    @Nullable Hold firstHold;
    @Nullable Hold lastHold;
    @Nullable Waiter firstWait;
    @Nullable Waiter lastWait;
    int holds;
    int waits;
    private @Nullable Map<Resource, HoldOrWaiter> enqueued;
    private @Nullable NavigableMap<Long, HoldOrWaiter> tracked;

    private Quotas.@Nullable Client client;
    private boolean clientKnown;

    /**
     * Resources from which the end of this session has removed waiters, and whose next waiters have
     * not been granted yet.
     */
    private @Nullable Deque<Resource> pendingServe;

    /** A session whose client is looked up in the quotas when it is needed. */
    SessionState(long id) {
        this.id = id;
    }

    SessionState(long id, Quotas.@Nullable Client client) {
        this.id = id;
        this.client = client;
        this.clientKnown = true;
    }

    Quotas.@Nullable Client client(Quotas quotas) {
        if (!clientKnown) {
            client = quotas.client(id);
            clientKnown = true;
        }
        return client;
    }

    @Nullable HoldOrWaiter enqueued(Resource resource) {
        return enqueued == null ? null : enqueued.get(resource);
    }

    void recordEnqueue(Resource resource, HoldOrWaiter holdOrWaiter) {
        if (enqueued == null) {
            enqueued = new HashMap<>();
        }
        enqueued.put(resource, holdOrWaiter);
    }

    /**
     * Forgets an enqueue if it refers to this very hold or waiter; a newer enqueue of the same key
     * stays.
     */
    void endEnqueue(Resource resource, HoldOrWaiter holdOrWaiter) {
        if (enqueued != null && enqueued.remove(resource, holdOrWaiter) && enqueued.isEmpty()) {
            enqueued = null;
        }
    }

    /** The hold or waiter of a tracked request; null if there is none. */
    @Nullable HoldOrWaiter tracked(long request) {
        return tracked == null ? null : tracked.get(request);
    }

    /**
     * The holds and waiters of tracked requests with greater numbers, in order of these numbers.
     */
    Collection<HoldOrWaiter> trackedAfter(long request) {
        return tracked == null ? List.of() : tracked.tailMap(request, false).values();
    }

    void track(long request, HoldOrWaiter holdOrWaiter) {
        if (tracked == null) {
            tracked = new TreeMap<>();
        }
        tracked.put(request, holdOrWaiter);
    }

    void untrack(long request) {
        if (tracked != null && tracked.remove(request) != null && tracked.isEmpty()) {
            tracked = null;
        }
    }

    void recordUnserved(Resource resource) {
        if (pendingServe == null) {
            pendingServe = new ArrayDeque<>();
        }
        if (pendingServe.peekLast() != resource) {
            pendingServe.addLast(resource);
        }
    }

    /** Its holds and waiters are records of their own, and have its order. */
    @Override
    protected void hashFields(FieldHash out) {
        out.number(HashedRecords.SESSION).number(id).number(pendingServe().size());
        if (pendingServe != null && !pendingServe.isEmpty()) {
            out.key(pendingServe.getFirst().key).key(pendingServe.getLast().key);
        }
    }

    @Nullable Resource pollUnserved() {
        return pendingServe == null ? null : pendingServe.pollFirst();
    }

    Collection<Resource> pendingServe() {
        return pendingServe == null ? List.of() : pendingServe;
    }

    boolean isEmpty() {
        return firstWait == null
                && firstHold == null
                && (pendingServe == null || pendingServe.isEmpty());
    }

    boolean hasHolds() {
        return firstHold != null;
    }

    /** Whether a hold that refers to this session is still among its holds. */
    boolean has(Hold hold) {
        return hold.before != null || firstHold == hold;
    }

    void add(Hold hold) {
        hold.before = lastHold;
        if (lastHold == null) {
            firstHold = hold;
        } else {
            lastHold.after = hold;
        }
        lastHold = hold;
        holds++;
    }

    void remove(Hold hold) {
        Hold before = hold.before;
        Hold after = hold.after;
        if (!has(hold)) {
            return; // already detached because the session has closed
        }
        if (before == null) {
            firstHold = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            lastHold = before;
        } else {
            after.before = before;
        }
        holds--;
        hold.before = null;
        hold.after = null;
    }

    void add(Waiter waiter) {
        waiter.before = lastWait;
        if (lastWait == null) {
            firstWait = waiter;
        } else {
            lastWait.after = waiter;
        }
        lastWait = waiter;
        waits++;
    }

    void remove(Waiter waiter) {
        Waiter before = waiter.before;
        Waiter after = waiter.after;
        if (before == null) {
            firstWait = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            lastWait = before;
        } else {
            after.before = before;
        }
        waits--;
        waiter.before = null;
        waiter.after = null;
    }
}
