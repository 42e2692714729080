package io.holdfast.engine.lock;

import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.codec.SnapshotOutput;

import java.io.DataOutput;
import java.io.IOException;

/**
 * Writes a state so that {@link StateReader} can create one that behaves exactly like it: besides
 * the visible state this includes the order of everything that is processed in order.
 */
final class StateWriter {
    private final EngineState state;
    private final SnapshotOutput out;

    StateWriter(EngineState state, DataOutput out) {
        this.state = state;
        this.out = new SnapshotOutput(out);
    }

    void write() throws IOException {
        out.number(SnapshotTags.VERSION);
        out.fixed(state.nowNanos);
        out.deadlines(state.deadlines);
        out.deadlines(state.idleEnds);
        long[] sessions = state.sessions.keySet().stream().mapToLong(id -> id).sorted().toArray();
        out.number(sessions.length);
        for (long session : sessions) {
            out.number(session);
            rank(state.session(session));
        }
        out.number(state.locks.size() + state.semaphores.size() + state.shared.size());
        for (Resource resource : state.all) {
            resource(resource);
        }
        for (long session : sessions) {
            unserved(state.session(session));
        }
        state.data.write(out);
    }

    /** Numbers the holds and waiters of a session in their order. */
    private static void rank(SessionState sessionState) {
        int rank = 0;
        for (Hold hold = sessionState.firstHold; hold != null; hold = hold.after) {
            hold.rank = rank++;
        }
        rank = 0;
        for (Waiter waiter = sessionState.firstWait; waiter != null; waiter = waiter.after) {
            waiter.rank = rank++;
        }
    }

    private void resource(Resource resource) throws IOException {
        out.number(SnapshotTags.of(resource.kind()));
        out.key(resource.key);
        if (resource.kind() == ResourceKind.SEMAPHORE) {
            out.number(resource.limit());
        }
        out.fixed(resource.lastActivityNanos);
        out.flag(resource.retained);
        out.flag(resource.suspended);
        out.number(resource.heldSince);
        out.deadline(resource);
        ReadWriteState readWriteState =
                resource instanceof ReadWriteLock readWriteLock
                        ? readWriteLock.readWriteState()
                        : null;
        if (resource instanceof ReadWriteLock) {
            out.flag(readWriteState != null);
            if (readWriteState != null) {
                out.number(SnapshotTags.of(readWriteState.policy));
                out.number(readWriteState.arrivals);
            }
        }
        out.number(resource.holders());
        for (Hold hold : resource.holds()) {
            hold(hold);
        }
        out.number(resource.waiters);
        for (Waiter waiter = resource.firstWaiter(); waiter != null; waiter = waiter.behind) {
            wait(waiter);
        }
        if (readWriteState != null) {
            for (Waiter waiter = readWriteState.readQueue.first;
                    waiter != null;
                    waiter = waiter.behind) {
                wait(waiter);
            }
        }
    }

    private void hold(Hold hold) throws IOException {
        SessionState sessionState = hold.session;
        out.number(sessionState.id);
        boolean known = state.sessions.get(sessionState.id) == sessionState;
        if (!known) {
            out.number(SnapshotTags.ORPHAN);
        } else if (!sessionState.has(hold)) {
            out.number(SnapshotTags.DETACHED);
        } else {
            out.number(SnapshotTags.OWNED);
            out.number(hold.rank);
            out.flag(sessionState.enqueued(hold.resource) == hold);
            out.flag(sessionState.tracked(hold.request) == hold);
        }
        out.number(hold.attributeTag());
        if (hold instanceof OfferHold offer) {
            out.fixed(offer.requestedNanos());
            out.flag(offer.isOffer());
        }
        out.number(hold.request);
        out.number(hold.tokenSentBy);
        out.number(hold.fence);
        out.fixed(hold.salt);
        out.number(hold.leaseNanos);
        out.fixed(hold.sinceNanos);
        out.deadline(hold);
        Successor successor = hold.successor;
        out.flag(successor != null);
        if (successor != null) {
            out.number(successor.session());
            out.number(successor.request());
            out.fixed(successor.atNanos());
        }
    }

    private void wait(Waiter waiter) throws IOException {
        out.number(waiter.session.id);
        out.number(waiter.rank);
        out.flag(waiter.enqueued);
        out.flag(waiter.session.tracked(waiter.request) == waiter);
        out.number(waiter.attributeTag());
        if (waiter instanceof OfferWaiter offer) {
            out.number(offer.confirmNanos);
        }
        out.number(waiter.request);
        out.fixed(waiter.salt);
        out.number(waiter.leaseNanos);
        out.fixed(waiter.sinceNanos);
        out.number(waiter.arrival);
        out.deadline(waiter);
    }

    /**
     * Includes keys that have been dropped meanwhile: they count against the number of steps of a
     * close like the others.
     */
    private void unserved(SessionState sessionState) throws IOException {
        out.number(sessionState.pendingServe().size());
        for (Resource resource : sessionState.pendingServe()) {
            out.key(resource.key);
            out.flag(state.locks.get(resource.key) == resource);
        }
    }
}
