package io.holdfast.engine;

import java.io.DataOutput;
import java.io.IOException;

/**
 * Writes a state, so that {@link StateReader} can make one that goes on just like it: besides what
 * everybody can see, it has the order of everything that is looked at in order.
 */
final class StateWriter {
    private final EngineState state;
    private final StateOutput out;

    StateWriter(EngineState state, DataOutput out) {
        this.state = state;
        this.out = new StateOutput(out);
    }

    void write() throws IOException {
        out.number(StateTags.VERSION);
        out.fixed(state.nowNanos);
        out.deadlines(state.deadlines);
        out.deadlines(state.idleEnds);
        long[] sessions = state.sessions.keySet().stream().mapToLong(id -> id).sorted().toArray();
        out.number(sessions.length);
        for (long session : sessions) {
            out.number(session);
            rank(state.session(session));
        }
        out.number(state.mutexes.size() + state.semaphores.size() + state.shared.size());
        for (Roster.Node node = state.all.first(); node != null; node = node.after()) {
            if (node instanceof Resource resource) {
                resource(resource);
            }
        }
        for (long session : sessions) {
            unserved(state.session(session));
        }
        new DataWriter(state.data, out).write();
    }

    /** Gives what a session has its place in the order of the session. */
    private static void rank(Session session) {
        int rank = 0;
        for (Hold hold = session.firstHold; hold != null; hold = hold.after) {
            hold.rank = rank++;
        }
        rank = 0;
        for (Wait wait = session.firstWait; wait != null; wait = wait.after) {
            wait.rank = rank++;
        }
    }

    private void resource(Resource resource) throws IOException {
        out.number(StateTags.of(resource.kind()));
        out.key(resource.key);
        if (resource.kind() == Kind.SEMAPHORE) {
            out.number(resource.limit());
        }
        out.fixed(resource.lastActivityNanos);
        out.flag(resource.lasting);
        out.flag(resource.suspended);
        out.number(resource.heldSince);
        out.deadline(resource);
        Sharing sharing = resource instanceof Mutex mutex ? mutex.sharing() : null;
        if (resource instanceof Mutex) {
            out.flag(sharing != null);
            if (sharing != null) {
                out.number(StateTags.of(sharing.policy));
                out.number(sharing.arrivals);
            }
        }
        out.number(resource.holders());
        for (Hold hold : resource.holds()) {
            hold(hold);
        }
        out.number(resource.waiters);
        for (Wait wait = resource.firstInLine(); wait != null; wait = wait.behind) {
            wait(wait);
        }
        if (sharing != null) {
            for (Wait wait = sharing.readLine.first; wait != null; wait = wait.behind) {
                wait(wait);
            }
        }
    }

    private void hold(Hold hold) throws IOException {
        Session session = hold.session;
        out.number(session.id);
        boolean known = state.sessions.get(session.id) == session;
        if (!known) {
            out.number(StateTags.ORPHAN);
        } else if (!session.has(hold)) {
            out.number(StateTags.DETACHED);
        } else {
            out.number(StateTags.OWNED);
            out.number(hold.rank);
            out.flag(session.enqueued(hold.resource) == hold);
            out.flag(session.tracked(hold.request) == hold);
        }
        if (hold instanceof AskHold asked) {
            out.number(StateTags.ofAsk(asked.mode()));
            out.fixed(asked.askedNanos);
            out.flag(asked.offered);
        } else {
            out.number(StateTags.of(hold.terms()));
        }
        out.number(hold.request);
        out.number(hold.toldBy);
        out.number(hold.fence);
        out.fixed(hold.salt);
        out.number(hold.leaseNanos);
        out.fixed(hold.sinceNanos);
        out.deadline(hold);
        Heir heir = hold.heir;
        out.flag(heir != null);
        if (heir != null) {
            out.number(heir.session());
            out.number(heir.request());
            out.fixed(heir.atNanos());
        }
    }

    private void wait(Wait wait) throws IOException {
        out.number(wait.session.id);
        out.number(wait.rank);
        out.flag(wait.enqueued);
        out.flag(wait.session.tracked(wait.request) == wait);
        if (wait instanceof AskWait asked) {
            out.number(StateTags.ofAsk(asked.mode()));
            out.number(asked.confirmNanos);
        } else {
            out.number(StateTags.of(wait.terms()));
        }
        out.number(wait.request);
        out.fixed(wait.salt);
        out.number(wait.leaseNanos);
        out.fixed(wait.sinceNanos);
        out.number(wait.arrival);
        out.deadline(wait);
    }

    /** Also keys that are forgotten meanwhile: coming to them takes as long as to the others. */
    private void unserved(Session session) throws IOException {
        out.number(session.unserved().size());
        for (Resource resource : session.unserved()) {
            out.key(resource.key);
            out.flag(state.mutexes.get(resource.key) == resource);
        }
    }
}
