package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What one session has in this engine: its holds and waits in order, and its records. */
final class Session {
    final long id;
    @Nullable Hold firstHold;
    @Nullable Hold lastHold;
    @Nullable Wait firstWait;
    @Nullable Wait lastWait;
    int holds;
    int waits;
    private @Nullable Map<Resource, Place> enqueued;
    private @Nullable NavigableMap<Long, Place> tracked;

    private Ledger.@Nullable Client client;
    private boolean clientKnown;

    /** Where waits were withdrawn by its end and nobody was served since. */
    private @Nullable Deque<Resource> unserved;

    /** Of a client that the ledger is asked for when it matters. */
    Session(long id) {
        this.id = id;
    }

    Session(long id, Ledger.@Nullable Client client) {
        this.id = id;
        this.client = client;
        this.clientKnown = true;
    }

    Ledger.@Nullable Client client(Ledger ledger) {
        if (!clientKnown) {
            client = ledger.client(id);
            clientKnown = true;
        }
        return client;
    }

    @Nullable Place enqueued(Resource resource) {
        return enqueued == null ? null : enqueued.get(resource);
    }

    void recordEnqueue(Resource resource, Place place) {
        if (enqueued == null) {
            enqueued = new HashMap<>();
        }
        enqueued.put(resource, place);
    }

    /** Ends the record if it is about this very place; a newer one of the same key stays. */
    void endEnqueue(Resource resource, Place place) {
        if (enqueued != null && enqueued.remove(resource, place) && enqueued.isEmpty()) {
            enqueued = null;
        }
    }

    /** What became of a tracked request. */
    @Nullable Place tracked(long request) {
        return tracked == null ? null : tracked.get(request);
    }

    /** What became of tracked requests with greater numbers, in their order. */
    Collection<Place> trackedAfter(long request) {
        return tracked == null ? List.of() : tracked.tailMap(request, false).values();
    }

    void track(long request, Place place) {
        if (tracked == null) {
            tracked = new TreeMap<>();
        }
        tracked.put(request, place);
    }

    void untrack(long request) {
        if (tracked != null && tracked.remove(request) != null && tracked.isEmpty()) {
            tracked = null;
        }
    }

    void recordUnserved(Resource resource) {
        if (unserved == null) {
            unserved = new ArrayDeque<>();
        }
        if (unserved.peekLast() != resource) {
            unserved.addLast(resource);
        }
    }

    @Nullable Resource pollUnserved() {
        return unserved == null ? null : unserved.pollFirst();
    }

    Collection<Resource> unserved() {
        return unserved == null ? List.of() : unserved;
    }

    boolean isEmpty() {
        return firstWait == null && firstHold == null && (unserved == null || unserved.isEmpty());
    }

    boolean hasHolds() {
        return firstHold != null;
    }

    /** Whether a hold of this session is still its own. */
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
            return; // already detached from a session that closed
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

    void add(Wait wait) {
        wait.before = lastWait;
        if (lastWait == null) {
            firstWait = wait;
        } else {
            lastWait.after = wait;
        }
        lastWait = wait;
        waits++;
    }

    void remove(Wait wait) {
        Wait before = wait.before;
        Wait after = wait.after;
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
        wait.before = null;
        wait.after = null;
    }
}
