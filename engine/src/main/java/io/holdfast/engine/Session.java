package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/** What one session has in this engine: its holds and waits in order, and its enqueue records. */
final class Session {
    final long id;
    @Nullable Hold firstHold;
    @Nullable Hold lastHold;
    @Nullable Wait firstWait;
    @Nullable Wait lastWait;
    private @Nullable Map<Resource, Place> enqueued;

    Session(long id) {
        this.id = id;
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

    boolean hasHolds() {
        return firstHold != null;
    }

    void add(Hold hold) {
        hold.before = lastHold;
        if (lastHold == null) {
            firstHold = hold;
        } else {
            lastHold.after = hold;
        }
        lastHold = hold;
    }

    void remove(Hold hold) {
        Hold before = hold.before;
        Hold after = hold.after;
        if (before == null && firstHold != hold) {
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
        wait.before = null;
        wait.after = null;
    }
}
