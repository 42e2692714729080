package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The commands of read/write locks: requests of an offer, what their session does with them later,
 * and what replaces their server: suspend, re-assert and resume.
 */
final class OfferCommands {
    private final EngineState state;
    private final RequestLifecycle lifecycle;
    private final KeyEventRecorder events;

    OfferCommands(EngineState state, RequestLifecycle lifecycle, KeyEventRecorder events) {
        this.state = state;
        this.lifecycle = lifecycle;
        this.events = events;
    }

    void apply(Command.ReadWrite command, Quotas quotas, List<Effect> effects) {
        switch (command) {
            case Command.RequestOffer requestOffer -> request(requestOffer, quotas, effects);
            case Command.OnTrackedRequest onTracked -> applyToTracked(onTracked, quotas, effects);
            case Command.Suspend suspend -> suspend(suspend, quotas, effects);
            case Command.Resume resume -> resume(resume, quotas, effects);
            case Command.Reassert reassert -> reassert(reassert, quotas, effects);
        }
    }

    private void request(Command.RequestOffer c, Quotas quotas, List<Effect> effects) {
        ReadWriteLock known = state.locks.get(c.key());
        Quotas.Client client = state.client(c.session(), quotas);
        if (!quotas.reserveWait(client)) {
            Refusal reason = known == null ? Refusal.TOO_MANY_KEYS : Refusal.TOO_MANY_WAITERS;
            effects.add(reason.to(c));
            return;
        }
        ReadWriteLock lock = known != null ? known : addTransient(c.key(), client, quotas);
        if (lock == null) {
            quotas.returnWait(client);
            effects.add(Refusal.TOO_MANY_KEYS.to(c));
            return;
        }
        boolean full = state.isQueueFull(lock);
        lock.prepareForOffers(state.settings);
        OfferWaiter waiter =
                new OfferWaiter(
                        lock,
                        state.session(c.session(), client),
                        c.request(),
                        c.salt(),
                        c.leaseNanos(),
                        c.mode(),
                        c.confirmNanos());
        lifecycle.queue(waiter);
        boolean next = !state.isQuarantined(ResourceKind.LOCK) && lock.next() == waiter;
        if (full && !next) {
            lifecycle.withdraw(waiter, quotas);
            effects.add(Refusal.TOO_MANY_WAITERS.to(c));
            return;
        }
        state.touch(lock);
        effects.add(new Effect.Queued(c.session(), c.request()));
        if (next) {
            lifecycle.serve(lock, quotas, effects);
        } else if (c.waitNanos() == 0) {
            lifecycle.timeOut(waiter, quotas, effects);
        } else {
            events.record(KeyEvent.Type.WAITING, waiter);
            state.deadlines.schedule(waiter, state.after(c.waitNanos()));
        }
    }

    /** Creates the lock of a key as a transient one; null if a limit is reached. */
    private @Nullable ReadWriteLock addTransient(
            Key key, Quotas.@Nullable Client client, Quotas quotas) {
        if (!quotas.reserveTransientKey(key, client)) {
            return null;
        }
        ReadWriteLock lock = state.addLock(key);
        lock.creator = client;
        return lock;
    }

    private void applyToTracked(Command.OnTrackedRequest c, Quotas quotas, List<Effect> effects) {
        SessionState session = state.sessions.get(c.session());
        HoldOrWaiter target = session == null ? null : session.tracked(c.targetRequest());
        switch (target) {
            case Waiter waiter when waiter.resource.key.equals(c.key()) -> {
                effects.add(report(c, OfferRequestStatus.QUEUED, 0));
                if (c instanceof Command.Decline || c instanceof Command.CancelOrRelease) {
                    lifecycle.leave(waiter, KeyEvent.Type.GAVE_UP, quotas);
                    lifecycle.serveOrRetire(waiter.resource, quotas, effects);
                }
            }
            case OfferHold hold when hold.isOffer() && hold.resource.key.equals(c.key()) -> {
                effects.add(report(c, OfferRequestStatus.OFFERED, hold.fence));
                if (c instanceof Command.Decline || c instanceof Command.CancelOrRelease) {
                    lifecycle.end(hold, KeyEvent.Type.GAVE_UP, quotas, effects);
                } else if (c instanceof Command.Confirm) {
                    lifecycle.confirm(hold, quotas, effects);
                }
            }
            case Hold hold when hold.resource.key.equals(c.key()) -> {
                effects.add(report(c, OfferRequestStatus.HELD, hold.fence));
                if (c instanceof Command.CancelOrRelease) {
                    lifecycle.end(hold, KeyEvent.Type.RELEASED, quotas, effects);
                }
            }
            case null, default -> effects.add(report(c, OfferRequestStatus.GONE, 0));
        }
    }

    private static Effect report(Command.Keyed c, OfferRequestStatus status, long fence) {
        return new Effect.StatusReport(c.session(), c.request(), status, fence);
    }

    private void suspend(Command.Suspend c, Quotas quotas, List<Effect> effects) {
        ReadWriteLock known = state.locks.get(c.key());
        ReadWriteLock lock = known != null ? known : addTransient(c.key(), null, quotas);
        if (lock == null) {
            effects.add(Refusal.TOO_MANY_KEYS.to(c));
            return;
        }
        lock.suspended = true;
        state.touch(lock);
        effects.add(new Effect.Changed(c.session(), c.request()));
    }

    private void resume(Command.Resume c, Quotas quotas, List<Effect> effects) {
        effects.add(new Effect.Changed(c.session(), c.request()));
        ReadWriteLock lock = state.locks.get(c.key());
        if (lock != null && lock.suspended) {
            lock.suspended = false;
            state.touch(lock);
            lock.dropReadWriteState();
            lifecycle.serveOrRetire(lock, quotas, effects);
        }
    }

    private void reassert(Command.Reassert c, Quotas quotas, List<Effect> effects) {
        ReadWriteLock lock = state.locks.get(c.key());
        if (lock == null || !lock.admitsAgain(c.mode())) {
            effects.add(Refusal.BUSY.to(c));
            return;
        }
        Quotas.Client client = state.client(c.session(), quotas);
        if (!quotas.reserveHold(client)) {
            effects.add(Refusal.TOO_MANY_KEYS.to(c));
            return;
        }
        lock.prepareForOffers(state.settings);
        OfferHold hold =
                new OfferHold(
                        lock,
                        state.session(c.session(), client),
                        c.request(),
                        quotas.nextFence(),
                        c.salt(),
                        c.leaseNanos(),
                        c.mode(),
                        state.nowNanos,
                        false);
        lifecycle.grant(hold, state.nowNanos);
        state.touch(lock);
        effects.add(report(c, OfferRequestStatus.HELD, hold.fence));
    }
}
