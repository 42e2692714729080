package io.holdfast.engine.lock;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.codec.SnapshotInput;

import org.jspecify.annotations.Nullable;

import java.io.DataInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads what {@link StateWriter} wrote, into an empty state. */
final class StateReader {
    private final EngineState state;
    private final SnapshotInput in;

    StateReader(EngineState state, DataInput in) {
        this.state = state;
        this.in = new SnapshotInput(in);
    }

    void read() throws IOException {
        long version = in.number();
        SnapshotInput.check(
                version == SnapshotTags.VERSION,
                "unsupported version %d (supported: %d)".formatted(version, SnapshotTags.VERSION));
        state.nowNanos = in.fixed();
        in.deadlines(state.deadlines);
        in.deadlines(state.idleEnds);
        List<SessionState> sessions = new ArrayList<>();
        for (int left = in.count(); left > 0; left--) {
            long id = in.number();
            SnapshotInput.check(!state.sessions.containsKey(id), "duplicate session");
            sessions.add(state.session(id));
        }
        for (int left = in.count(); left > 0; left--) {
            resource();
        }
        state.usage.values().forEach(kinds -> kinds.values().forEach(UsageCounters::sortWaits));
        for (SessionState sessionState : sessions) {
            order(sessionState);
            for (int left = in.count(); left > 0; left--) {
                sessionState.recordUnserved(unserved());
            }
        }
        state.data.read(in, state.nowNanos);
    }

    private void resource() throws IOException {
        ResourceKind resourceKind = SnapshotTags.kind(in.choice(SnapshotTags.KINDS));
        Key key = in.key();
        SnapshotInput.check(!state.space(resourceKind).containsKey(key), "duplicate key");
        Resource resource =
                state.add(
                        resourceKind,
                        key,
                        resourceKind == ResourceKind.SEMAPHORE ? in.number() : 1);
        resource.lastActivityNanos = in.fixed();
        resource.retained = in.flag();
        resource.suspended = in.flag();
        resource.heldSince = in.number();
        in.deadline(resource, state.idleEnds);
        ReadWriteState readWriteState = null;
        long arrivals = 0;
        if (resource instanceof ReadWriteLock readWriteLock && in.flag()) {
            readWriteState =
                    readWriteLock.ensureReadWriteState(
                            SnapshotTags.policy(in.choice(SnapshotTags.POLICIES)));
            arrivals = in.number();
        }
        int holders = in.count();
        for (int i = 0; i < holders; i++) {
            resource.add(hold(resource));
            SnapshotInput.check(resource.holders() == i + 1, "more holders than slots");
        }
        resource.usage.keys += holders > 0 ? 1 : 0;
        resource.usage.holds += holders;
        for (int left = in.count(); left > 0; left--) {
            wait(resource);
        }
        if (readWriteState != null) {
            readWriteState.arrivals = arrivals;
        }
    }

    private Hold hold(Resource resource) throws IOException {
        long id = in.number();
        int ownership = in.choice(SnapshotTags.OWNERSHIP_KINDS);
        SessionState sessionState =
                ownership == SnapshotTags.ORPHAN ? new SessionState(id) : known(id);
        boolean owned = ownership == SnapshotTags.OWNED;
        int rank = owned ? in.count() : 0;
        boolean enqueued = owned && in.flag();
        boolean tracked = owned && in.flag();
        int attributes = in.choice(SnapshotTags.ATTRIBUTE_COMBINATIONS);
        ReadWriteLock offeredLock = offeredLock(attributes, resource);
        long requestedNanos = offeredLock != null ? in.fixed() : 0;
        boolean offered = offeredLock != null && in.flag();
        long request = in.number();
        long tokenSentBy = in.number();
        long fence = in.number();
        long salt = in.fixed();
        long leaseNanos = in.number();
        Hold hold =
                offeredLock != null
                        ? new OfferHold(
                                offeredLock,
                                sessionState,
                                request,
                                fence,
                                salt,
                                leaseNanos,
                                SnapshotTags.mode(attributes),
                                requestedNanos,
                                offered)
                        : Hold.of(
                                resource,
                                sessionState,
                                request,
                                fence,
                                salt,
                                leaseNanos,
                                SnapshotTags.attributes(attributes));
        hold.tokenSentBy = tokenSentBy;
        hold.sinceNanos = in.fixed();
        in.deadline(hold, state.deadlines);
        hold.successor = in.flag() ? new Successor(in.number(), in.number(), in.fixed()) : null;
        if (owned) {
            hold.rank = rank;
            sessionState.add(hold);
        }
        if (enqueued) {
            sessionState.recordEnqueue(resource, hold);
        }
        if (tracked) {
            sessionState.track(request, hold);
        }
        return hold;
    }

    private void wait(Resource resource) throws IOException {
        SessionState sessionState = known(in.number());
        int rank = in.count();
        boolean enqueued = in.flag();
        boolean tracked = in.flag();
        int attributes = in.choice(SnapshotTags.ATTRIBUTE_COMBINATIONS);
        ReadWriteLock offeredLock = offeredLock(attributes, resource);
        long confirmNanos = offeredLock != null ? in.number() : 0;
        long request = in.number();
        long salt = in.fixed();
        long leaseNanos = in.number();
        Waiter waiter =
                offeredLock != null
                        ? new OfferWaiter(
                                offeredLock,
                                sessionState,
                                request,
                                salt,
                                leaseNanos,
                                SnapshotTags.mode(attributes),
                                confirmNanos)
                        : Waiter.of(
                                resource,
                                sessionState,
                                request,
                                salt,
                                leaseNanos,
                                enqueued,
                                SnapshotTags.attributes(attributes));
        waiter.sinceNanos = in.fixed();
        resource.append(waiter);
        waiter.arrival = in.number();
        in.deadline(waiter, state.deadlines);
        waiter.rank = rank;
        sessionState.add(waiter);
        if (enqueued) {
            sessionState.recordEnqueue(resource, waiter);
        }
        if (tracked) {
            sessionState.track(request, waiter);
        }
    }

    /** The lock, if a hold or waiter with these attributes began as a request of an offer. */
    private static @Nullable ReadWriteLock offeredLock(int attributes, Resource resource)
            throws IOException {
        if ((attributes & SnapshotTags.OFFERED) == 0) {
            return null;
        }
        if (resource instanceof ReadWriteLock lock) {
            return lock;
        }
        throw SnapshotInput.malformed("offer for a kind that is not a lock");
    }

    private SessionState known(long id) throws IOException {
        SessionState sessionState = state.sessions.get(id);
        if (sessionState == null) {
            throw SnapshotInput.malformed("unknown session " + id);
        }
        return sessionState;
    }

    /**
     * Restores the order of the holds and waiters of a session, which were read in the order of
     * keys.
     */
    private static void order(SessionState sessionState) throws IOException {
        List<Hold> holds = new ArrayList<>(sessionState.holds);
        while (sessionState.firstHold != null) {
            holds.add(sessionState.firstHold);
            sessionState.remove(sessionState.firstHold);
        }
        holds.sort(Comparator.comparingInt(hold -> hold.rank));
        for (Hold hold : holds) {
            SnapshotInput.check(hold.rank == sessionState.holds, "holds out of order");
            sessionState.add(hold);
        }
        List<Waiter> waits = new ArrayList<>(sessionState.waits);
        while (sessionState.firstWait != null) {
            waits.add(sessionState.firstWait);
            sessionState.remove(sessionState.firstWait);
        }
        waits.sort(Comparator.comparingInt(waiter -> waiter.rank));
        for (Waiter waiter : waits) {
            SnapshotInput.check(waiter.rank == sessionState.waits, "waits out of order");
            sessionState.add(waiter);
        }
    }

    /**
     * A resource whose next waiters have not been granted yet. If the key has been dropped
     * meanwhile, the element only keeps its position.
     */
    private Resource unserved() throws IOException {
        Key key = in.key();
        if (!in.flag()) {
            return new ReadWriteLock(key, new UsageCounters());
        }
        Resource resource = state.locks.get(key);
        if (resource == null) {
            throw SnapshotInput.malformed("unknown key");
        }
        return resource;
    }
}
