package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.ResourceKind;

import java.util.List;

/** The end of a session: its waiters leave, and its holds are released, passed on or detached. */
final class SessionEnd {
    private final EngineState state;
    private final RequestLifecycle lifecycle;
    private final IdleKeys idleKeys;

    SessionEnd(EngineState state, RequestLifecycle lifecycle, IdleKeys idleKeys) {
        this.state = state;
        this.lifecycle = lifecycle;
        this.idleKeys = idleKeys;
    }

    /** Ends up to {@link Command.CloseSession#maxEnded} waiters and holds, waiters first. */
    void close(Command.CloseSession c, Quotas quotas, List<Effect> effects) {
        SessionState session = state.sessions.get(c.session());
        if (session == null) {
            return;
        }
        int left = c.maxEnded();
        for (; session.firstWait != null && left > 0; left--) {
            Waiter waiter = session.firstWait;
            lifecycle.leave(waiter, KeyEvent.Type.GAVE_UP, quotas);
            if (waiter.resource.hasSeparateQueues()) {
                // Served later: the next waiter may belong to this session too.
                session.recordUnserved(waiter.resource);
                state.hash.changed(session);
            } else {
                lifecycle.serve(waiter.resource, quotas, effects);
            }
            idleKeys.mark(waiter.resource, quotas);
        }
        for (; session.firstWait == null && left > 0; left--) {
            Resource resource = session.pollUnserved();
            if (resource == null) {
                break;
            }
            state.hash.changed(session);
            lifecycle.serve(resource, quotas, effects);
        }
        endHolds(session, c, left, quotas, effects);
        if (session.isEmpty()) {
            state.sessions.remove(c.session());
            state.hash.remove(session);
        }
    }

    private void endHolds(
            SessionState session,
            Command.CloseSession c,
            int max,
            Quotas quotas,
            List<Effect> effects) {
        int locks = 0;
        int sharedLocks = 0;
        for (int left = max; session.firstHold != null && left > 0; left--) {
            Hold hold = session.firstHold;
            Successor successor = hold.successor;
            if (successor != null && successor.atNanos() >= c.successorsSinceNanos()) {
                SessionState next = state.sessions.get(successor.session());
                if (next != null) {
                    quotas.passHold(session.client(quotas), next.client(quotas));
                    detach(hold);
                    hold.passTo(next, successor.request());
                    next.add(hold);
                    continue;
                }
            }
            if (hold.isTryAcquired()) {
                locks += hold.resource.kind() == ResourceKind.LOCK ? 1 : 0;
                sharedLocks += hold.resource.kind() == ResourceKind.SHARED ? 1 : 0;
            }
            boolean autoReleased = state.settings.autoRelease() && hold.attributes().bound();
            if (autoReleased || hold.mustEndWithSession(c.lastAnswered())) {
                lifecycle.end(hold, hold.ownEnd(), quotas, effects);
            } else {
                detach(hold);
            }
        }
        if (locks + sharedLocks > 0) {
            effects.add(new Effect.Orphaned(c.session(), locks, sharedLocks));
        }
    }

    /** Removes a hold from its session, which it still refers to. */
    private void detach(Hold hold) {
        SessionState session = hold.session;
        session.endEnqueue(hold.resource, hold);
        session.untrack(hold.request);
        state.hash.changed(hold);
        state.hash.changed(hold.after);
        session.remove(hold);
    }
}
