package io.holdfast.engine.lock;

import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Quotas;

import java.util.List;

/**
 * The steps in the life of a request: it is queued, granted or offered a slot, and ends. Each step
 * changes the resource, the session, the deadlines and the quotas together, and records the event.
 */
final class RequestLifecycle {
    private final EngineState state;
    private final KeyEventRecorder events;
    private final IdleKeys idleKeys;

    RequestLifecycle(EngineState state, KeyEventRecorder events, IdleKeys idleKeys) {
        this.state = state;
        this.events = events;
        this.idleKeys = idleKeys;
    }

    /** Appends a waiter to the queue, without a deadline. */
    void queue(Waiter waiter) {
        waiter.sinceNanos = state.nowNanos;
        waiter.resource.append(waiter);
        waiter.session.add(waiter);
        if (waiter.isTracked()) {
            waiter.session.track(waiter.request, waiter);
        }
        state.hash.add(waiter);
    }

    /** Removes a waiter from the queue, its session and the deadlines. */
    void withdraw(Waiter waiter, Quotas quotas) {
        remove(waiter);
        quotas.returnWait(waiter.session.client(quotas));
    }

    /** A waiter leaves the queue before it is granted or offered the slot. */
    void leave(Waiter waiter, KeyEvent.Type reason, Quotas quotas) {
        withdraw(waiter, quotas);
        events.record(reason, waiter);
    }

    void timeOut(Waiter waiter, Quotas quotas, List<Effect> effects) {
        leave(waiter, KeyEvent.Type.TIMED_OUT, quotas);
        effects.add(new Effect.TimedOut(waiter.session.id, waiter.request));
        serveOrRetire(waiter.resource, quotas, effects);
    }

    /** Adds a hold to a resource that admits it. */
    void grant(Hold hold, long requestedNanos) {
        start(hold, hold.leaseNanos);
        events.began(KeyEvent.Type.ACQUIRED, hold, requestedNanos);
    }

    private void offer(OfferWaiter waiter, Quotas quotas, List<Effect> effects) {
        OfferHold hold = waiter.toHold(quotas.nextFence());
        start(hold, waiter.confirmNanos);
        events.began(KeyEvent.Type.OFFERED, hold, waiter.sinceNanos);
        effects.add(
                new Effect.Offered(
                        hold.session.id, hold.request, hold.resource.key, hold.mode(), hold.fence));
    }

    /** Makes an offer a hold. */
    void confirm(OfferHold hold, Quotas quotas, List<Effect> effects) {
        hold.confirm();
        hold.sinceNanos = state.nowNanos;
        events.began(KeyEvent.Type.ACQUIRED, hold, hold.requestedNanos());
        state.deadlines.schedule(hold, state.after(hold.leaseNanos));
        state.touch(hold.resource);
        serve(hold.resource, quotas, effects);
    }

    private void start(Hold hold, long durationNanos) {
        Resource resource = hold.resource;
        if (resource.holders() == 0) {
            resource.heldSince = hold.fence;
            resource.usage.keys++;
        }
        resource.usage.holds++;
        state.hash.changed(resource);
        hold.sinceNanos = state.nowNanos;
        resource.add(hold);
        hold.session.add(hold);
        if (hold.isTracked()) {
            hold.session.track(hold.request, hold);
        }
        state.deadlines.schedule(hold, state.after(durationNanos));
        state.hash.add(hold);
    }

    /** Grants or offers to the next waiters, as long as the resource admits them. */
    void serve(Resource resource, Quotas quotas, List<Effect> effects) {
        if (state.isQuarantined(resource.kind())) {
            return;
        }
        for (Waiter next = resource.next(); next != null; next = resource.next()) {
            boolean awaited = next.isAwaited();
            remove(next);
            quotas.grantWait(next.session.client(quotas));
            if (next instanceof OfferWaiter offerWaiter) {
                offer(offerWaiter, quotas, effects);
                continue;
            }
            Hold hold = next.toHold(quotas.nextFence());
            grant(hold, next.sinceNanos);
            if (awaited) {
                effects.add(hold.granted());
            } else {
                hold.session.recordEnqueue(resource, hold);
            }
        }
    }

    /** Serves the queue after a hold or a waiter has ended; if there is none, the key is idle. */
    void serveOrRetire(Resource resource, Quotas quotas, List<Effect> effects) {
        serve(resource, quotas, effects);
        idleKeys.mark(resource, quotas);
    }

    /** Ends a hold and grants its slot to the next waiter. */
    void end(Hold hold, KeyEvent.Type reason, Quotas quotas, List<Effect> effects) {
        state.hash.remove(hold);
        Resource resource = hold.resource;
        long leaseEnd = hold.time();
        resource.remove(hold);
        resource.usage.holds--;
        if (resource.holders() == 0) {
            resource.usage.keys--;
            resource.heldSince = 0;
        }
        state.hash.changed(hold.after);
        hold.session.remove(hold);
        hold.session.endEnqueue(resource, hold);
        if (hold.isTracked()) {
            hold.session.untrack(hold.request);
        }
        state.deadlines.remove(hold);
        quotas.returnHold(hold.session.client(quotas));
        state.touch(resource);
        events.ended(reason, hold, leaseEnd);
        serveOrRetire(resource, quotas, effects);
    }

    private void remove(Waiter waiter) {
        state.hash.remove(waiter);
        state.hash.changed(waiter.behind);
        state.hash.changed(waiter.after);
        waiter.resource.remove(waiter);
        waiter.session.remove(waiter);
        state.deadlines.remove(waiter);
        if (waiter.enqueued) {
            waiter.session.endEnqueue(waiter.resource, waiter);
        } else if (waiter.isTracked()) {
            waiter.session.untrack(waiter.request);
        }
        state.touch(waiter.resource);
    }
}
