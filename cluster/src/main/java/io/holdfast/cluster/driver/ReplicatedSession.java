package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.signal.SignalRequest;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.SessionUsage;
import io.holdfast.engine.TrackedRequestView;

import org.jspecify.annotations.Nullable;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A session of this node. Its commands go into the log and come back as effects. Its lock may be
 * taken while the state is locked, so nobody asks the state under it.
 */
final class ReplicatedSession implements Session {
    /** Where a session is in its life. */
    private enum Life {
        /** The state knows nothing of it. */
        NEW,
        /** It may have something in the state. */
        REGISTERED,
        /** Its end is on the way into the log. */
        ENDING,
        /** Nothing happens any more. */
        OVER
    }

    private static final long MIN_TIMEOUT_NANOS = 250_000_000L;

    private final EffectMailbox effectMailbox;
    private final ClientInfo clientInfo;
    private final long openedNanos;
    private final ReplicatedDriver driver;
    private volatile long id;
    private Life life = Life.NEW;
    private boolean closed;

    /** Whether its stint is over, and it waits for its end or for another stint. */
    private boolean cut;

    private @Nullable Runnable released;

    /** Requests whose sender was told that they take too long. */
    private final Set<Long> timedOut = new HashSet<>(0);

    ReplicatedSession(
            long id,
            EffectMailbox effectMailbox,
            ClientInfo clientInfo,
            long openedNanos,
            ReplicatedDriver driver) {
        this.id = id;
        this.effectMailbox = effectMailbox;
        this.clientInfo = clientInfo;
        this.openedNanos = openedNanos;
        this.driver = driver;
    }

    @Override
    public long id() {
        return id;
    }

    EffectMailbox mailbox() {
        return effectMailbox;
    }

    ClientInfo peer() {
        return clientInfo;
    }

    // ---- what its owner asks

    @Override
    public boolean submit(Command.Keyed command) {
        synchronized (this) {
            if (closed) {
                return true;
            }
            if (cut || command.session() != id) { // who asks may not know its new number yet
                effectMailbox.add(
                        new Effect.Refused(
                                command.session(), command.request(), Refusal.UNAVAILABLE));
                return true;
            }
            Refusal full = driver.limit(command, clientInfo.usage());
            if (full != null) {
                effectMailbox.add(new Effect.Refused(command.session(), command.request(), full));
                return true;
            }
            if (command instanceof Command.Locking) {
                introduce();
            }
            driver.add(
                    new PendingBatchItem(
                            new BatchItem.Submit(command),
                            this,
                            driver.after(timeoutNanos(command))));
        }
        return false;
    }

    /** Asks about signals; the answer comes later. */
    void submit(SignalRequest request) {
        BatchItem batchItem =
                switch (request) {
                    case SignalRequest.Listen(long number, var pattern, var group) ->
                            new BatchItem.Listen(id, number, pattern, group);
                    case SignalRequest.Unlisten(long number, var pattern, var group) ->
                            new BatchItem.Unlisten(id, number, pattern, group);
                    case SignalRequest.Emit(long number, var channel, var payload) ->
                            new BatchItem.Emit(id, number, channel, payload);
                };
        Refusal refusal = null;
        synchronized (this) {
            if (closed) {
                return;
            }
            boolean listens = batchItem instanceof BatchItem.Listen;
            if (cut) {
                refusal = Refusal.UNAVAILABLE;
            } else if (listens && !driver.maySubscribe()) {
                refusal = Refusal.TOO_MANY_ENTRIES;
            } else {
                if (listens) {
                    introduce();
                }
                driver.add(
                        new PendingBatchItem(
                                batchItem, this, driver.after(driver.requestTimeoutNanos())));
            }
            if (refusal != null) {
                effectMailbox.add(new Effect.Refused(id, batchItem.request(), refusal));
            }
        }
        if (refusal != null) {
            effectMailbox.wake();
        }
    }

    /** The state is to know the session before anything of it. */
    private void introduce() {
        if (life == Life.NEW) {
            life = Life.REGISTERED;
            driver.registeredSessions(1);
            driver.add(
                    new PendingBatchItem(
                            new BatchItem.RegisterSession(
                                    id,
                                    clientInfo.protocol(),
                                    clientInfo.name().get(),
                                    clientInfo.concurrent()),
                            null,
                            Long.MAX_VALUE));
        }
    }

    /**
     * Those who say how long they wait mean the cluster too, but not less than a healthy one may
     * need.
     */
    private long timeoutNanos(Command.Keyed command) {
        long wait =
                switch (command) {
                    case Command.Acquire acquire -> acquire.waitNanos();
                    case Command.Await await -> await.waitNanos();
                    case Command.RequestOffer requestOffer -> requestOffer.waitNanos();
                    default -> 0;
                };
        return wait > 0 ? Math.max(wait, MIN_TIMEOUT_NANOS) : driver.requestTimeoutNanos();
    }

    @Override
    public List<TrackedRequestView> trackedRequests(long after, int most) {
        return driver.read((views, now) -> views.trackedRequests(id, after, most, now));
    }

    @Override
    public boolean isHolding() {
        return driver.read((views, _) -> views.hasHolds(id));
    }

    SessionView view(long nowNanos) {
        SessionUsage here = driver.read((views, _) -> views.usage(id));
        return new SessionView(
                id,
                clientInfo.protocol(),
                clientInfo.name().get(),
                nowNanos - openedNanos,
                here.holds(),
                here.waits());
    }

    @Override
    public void close(long lastAnswered, Runnable whenReleased) {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            if (life == Life.REGISTERED) {
                life = Life.ENDING;
                released = whenReleased;
                driver.add(
                        new PendingBatchItem(
                                new BatchItem.EndSession(id, lastAnswered), null, Long.MAX_VALUE));
                return;
            }
            life = Life.OVER;
        }
        driver.forget(this);
        whenReleased.run();
    }

    // ---- what the state says; it is locked

    /** Whether its owner is to hear of an effect. */
    synchronized boolean wants(Effect effect) {
        return !cut && life != Life.OVER && !timedOut.contains(effect.request());
    }

    /** Takes an effect; whether its owner is to be woken. */
    synchronized boolean deliver(Effect effect) {
        if (!wants(effect)) {
            return false;
        }
        effectMailbox.add(effect);
        return true;
    }

    /**
     * A lease that its owner was to be told of may be over by now; whether its owner is to be
     * woken.
     *
     * @param resourceKind of what it holds by it; null if nothing
     */
    synchronized boolean refuse(Effect effect, @Nullable ResourceKind resourceKind) {
        if (closed || !wants(effect)) {
            return false;
        }
        effectMailbox.add(
                new Effect.Refused(effect.session(), effect.request(), Refusal.UNAVAILABLE));
        if (resourceKind != null && effect instanceof Effect.Granted granted) {
            timedOut.add(granted.request());
            addUnanswered(new Command.Cancel(id, granted.request(), resourceKind, granted.key()));
        }
        return true;
    }

    /** An item was applied; whether its owner is to be woken. */
    synchronized boolean applied(BatchItem batchItem, boolean answered) {
        if (timedOut.contains(batchItem.request())) {
            if (!isCancelled(batchItem)) {
                timedOut.remove(batchItem.request());
            }
            return false;
        }
        if (cut || life == Life.OVER || answered || !(batchItem instanceof BatchItem.Submit)) {
            return false;
        }
        effectMailbox.onPending(batchItem.request());
        return true;
    }

    /** Whether a cancel follows when its sender gives up: it could get a place or a hold. */
    private static boolean isCancelled(BatchItem batchItem) {
        return batchItem instanceof BatchItem.Submit(Command.Keyed command)
                && switch (command) {
                    case Command.Acquire _,
                            Command.Enqueue _,
                            Command.Await _,
                            Command.TryAcquire _,
                            Command.RequestOffer _,
                            Command.Reassert _ ->
                            true;
                    default -> false;
                };
    }

    /** All that it had is free. What is to be done about it, once the state is not locked. */
    synchronized @Nullable Runnable ended() {
        if (life != Life.ENDING) {
            return null;
        }
        driver.registeredSessions(-1);
        life = Life.OVER;
        Runnable then = released;
        released = null;
        return then;
    }

    // ---- what happens when the cluster does not answer

    /**
     * A request has taken too long. Its owner is to be woken.
     *
     * @param neverIn whether it never got into the log
     * @param holds whether the session got what it is about by another request to get in line
     */
    synchronized void timeOut(BatchItem batchItem, boolean neverIn, boolean holds) {
        if (closed) { // nobody waits for it, and its end takes back what it did
            return;
        }
        effectMailbox.add(
                new Effect.Refused(batchItem.session(), batchItem.request(), Refusal.UNAVAILABLE));
        boolean leaves = batchItem instanceof BatchItem.Submit(Command.Await _);
        if (!cut && (leaves || !neverIn)) {
            timedOut.add(batchItem.request());
            if (isCancelled(batchItem)
                    && batchItem instanceof BatchItem.Submit(Command.Locking locking)) {
                cancel(locking, holds);
            }
        }
    }

    /**
     * Takes back what it may have done, and leaves the place that it was about. A place in line
     * belongs to no request before it is awaited; but what is held must not be given back by that.
     */
    private void cancel(Command.Locking asked, boolean holds) {
        long request = asked.request();
        if ((asked instanceof Command.Enqueue && !holds) || asked instanceof Command.Await) {
            addUnanswered(new Command.Await(id, request, asked.kind(), asked.key(), 0));
        }
        addUnanswered(new Command.Cancel(id, request, asked.kind(), asked.key()));
    }

    private void addUnanswered(Command.Keyed command) {
        driver.add(new PendingBatchItem(new BatchItem.Submit(command), null, Long.MAX_VALUE));
    }

    /**
     * The stint it belonged to is over, and all it had with it. What its owner waits for, if it is
     * closing.
     */
    synchronized @Nullable Runnable cut() {
        if (life == Life.REGISTERED || life == Life.ENDING) {
            driver.registeredSessions(-1);
        }
        life = closed ? Life.OVER : Life.NEW;
        cut = true;
        timedOut.clear();
        Runnable then = released;
        released = null;
        return then;
    }

    /** Its owner cannot do without it: it goes on in another stint, unless it does already. */
    synchronized boolean move(long newId) {
        if (!cut || closed) {
            return false;
        }
        id = newId;
        cut = false;
        return true;
    }
}
