package io.holdfast.engine;

import java.io.DataInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads what {@link StateWriter} wrote, into a state of nothing. */
final class StateReader {
    private final EngineState state;
    private final StateInput in;

    StateReader(EngineState state, DataInput in) {
        this.state = state;
        this.in = new StateInput(in);
    }

    void read() throws IOException {
        long version = in.number();
        StateInput.check(
                version == StateTags.VERSION,
                "version %d, where only %d is known".formatted(version, StateTags.VERSION));
        state.nowNanos = in.fixed();
        in.deadlines(state.deadlines);
        in.deadlines(state.idleEnds);
        List<Session> sessions = new ArrayList<>();
        for (int left = in.count(); left > 0; left--) {
            long id = in.number();
            StateInput.check(!state.sessions.containsKey(id), "two sessions of one number");
            sessions.add(state.session(id));
        }
        for (int left = in.count(); left > 0; left--) {
            resource();
        }
        state.held.values().forEach(kinds -> kinds.values().forEach(HeldTally::sortWaits));
        for (Session session : sessions) {
            order(session);
            for (int left = in.count(); left > 0; left--) {
                session.recordUnserved(unserved());
            }
        }
        new DataReader(state.data, in).read();
        state.data.nowNanos = state.nowNanos;
    }

    private void resource() throws IOException {
        Kind kind = StateTags.kind(in.choice(StateTags.KINDS));
        Key key = in.key();
        StateInput.check(!state.space(kind).containsKey(key), "two of one name");
        Resource resource = state.add(kind, key, kind == Kind.SEMAPHORE ? in.number() : 1);
        resource.lastActivityNanos = in.fixed();
        resource.lasting = in.flag();
        resource.suspended = in.flag();
        resource.heldSince = in.number();
        in.deadline(resource, state.idleEnds);
        Sharing sharing = null;
        long arrivals = 0;
        if (resource instanceof Mutex mutex && in.flag()) {
            sharing = mutex.share(StateTags.policy(in.choice(StateTags.POLICIES)));
            arrivals = in.number();
        }
        int holders = in.count();
        for (int i = 0; i < holders; i++) {
            resource.add(hold(resource));
            StateInput.check(resource.holders() == i + 1, "two holders of one slot");
        }
        resource.tally.keys += holders > 0 ? 1 : 0;
        resource.tally.holds += holders;
        for (int left = in.count(); left > 0; left--) {
            wait(resource);
        }
        if (sharing != null) {
            sharing.arrivals = arrivals;
        }
    }

    private Hold hold(Resource resource) throws IOException {
        long id = in.number();
        int bond = in.choice(StateTags.BONDS);
        Session session = bond == StateTags.ORPHAN ? new Session(id) : known(id);
        boolean owned = bond == StateTags.OWNED;
        int rank = owned ? in.count() : 0;
        boolean enqueued = owned && in.flag();
        boolean tracked = owned && in.flag();
        int terms = in.choice(StateTags.ALL_TERMS);
        boolean asked = isAsked(terms, resource);
        long askedNanos = asked ? in.fixed() : 0;
        boolean offered = asked && in.flag();
        long request = in.number();
        long toldBy = in.number();
        long fence = in.number();
        long salt = in.fixed();
        long leaseNanos = in.number();
        Hold hold =
                asked
                        ? new AskHold(
                                resource,
                                session,
                                request,
                                fence,
                                salt,
                                leaseNanos,
                                StateTags.mode(terms),
                                askedNanos,
                                offered)
                        : Hold.of(
                                resource,
                                session,
                                request,
                                fence,
                                salt,
                                leaseNanos,
                                StateTags.terms(terms));
        hold.toldBy = toldBy;
        hold.sinceNanos = in.fixed();
        in.deadline(hold, state.deadlines);
        hold.heir = in.flag() ? new Heir(in.number(), in.number(), in.fixed()) : null;
        if (owned) {
            hold.rank = rank;
            session.add(hold);
        }
        if (enqueued) {
            session.recordEnqueue(resource, hold);
        }
        if (tracked) {
            session.track(request, hold);
        }
        return hold;
    }

    private void wait(Resource resource) throws IOException {
        Session session = known(in.number());
        int rank = in.count();
        boolean enqueued = in.flag();
        boolean tracked = in.flag();
        int terms = in.choice(StateTags.ALL_TERMS);
        boolean asked = isAsked(terms, resource);
        long confirmNanos = asked ? in.number() : 0;
        long request = in.number();
        long salt = in.fixed();
        long leaseNanos = in.number();
        Wait wait =
                asked
                        ? new AskWait(
                                resource,
                                session,
                                request,
                                salt,
                                leaseNanos,
                                StateTags.mode(terms),
                                confirmNanos)
                        : Wait.of(
                                resource,
                                session,
                                request,
                                salt,
                                leaseNanos,
                                enqueued,
                                StateTags.terms(terms));
        wait.sinceNanos = in.fixed();
        resource.append(wait);
        wait.arrival = in.number();
        in.deadline(wait, state.deadlines);
        wait.rank = rank;
        session.add(wait);
        if (enqueued) {
            session.recordEnqueue(resource, wait);
        }
        if (tracked) {
            session.track(request, wait);
        }
    }

    private static boolean isAsked(int terms, Resource resource) throws IOException {
        boolean asked = (terms & StateTags.ASKED) != 0;
        StateInput.check(!asked || resource instanceof Mutex, "asked for what is no mutex");
        return asked;
    }

    private Session known(long id) throws IOException {
        Session session = state.sessions.get(id);
        if (session == null) {
            throw StateInput.wrong("a session that is not there, " + id);
        }
        return session;
    }

    /** What the session has was read in the order of keys. */
    private static void order(Session session) throws IOException {
        List<Hold> holds = new ArrayList<>(session.holds);
        while (session.firstHold != null) {
            holds.add(session.firstHold);
            session.remove(session.firstHold);
        }
        holds.sort(Comparator.comparingInt(hold -> hold.rank));
        for (Hold hold : holds) {
            StateInput.check(hold.rank == session.holds, "holds out of order");
            session.add(hold);
        }
        List<Wait> waits = new ArrayList<>(session.waits);
        while (session.firstWait != null) {
            waits.add(session.firstWait);
            session.remove(session.firstWait);
        }
        waits.sort(Comparator.comparingInt(wait -> wait.rank));
        for (Wait wait : waits) {
            StateInput.check(wait.rank == session.waits, "waits out of order");
            session.add(wait);
        }
    }

    /** One that is forgotten meanwhile is nothing but a place in the row. */
    private Resource unserved() throws IOException {
        Key key = in.key();
        if (!in.flag()) {
            return new Mutex(key, new HeldTally());
        }
        Resource resource = state.mutexes.get(key);
        if (resource == null) {
            throw StateInput.wrong("a key that is not there");
        }
        return resource;
    }
}
