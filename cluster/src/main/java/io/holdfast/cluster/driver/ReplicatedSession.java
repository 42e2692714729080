package io.holdfast.cluster.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.TrackedRequestView;

import org.jspecify.annotations.Nullable;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A session of this node. Its commands are proposed to the log and their results arrive as effects.
 * Its lock may be acquired while the state is locked, so the state must not be read under it.
 */
final class ReplicatedSession implements Session {
    /** The states of a session. */
    private enum Life {
        /** It has nothing in the replicated state. */
        NEW,
        /** It may have something in the replicated state. */
        REGISTERED,
        /** Its end has been proposed. */
        ENDING,
        /** It has ended. */
        OVER
    }

    private static final long MIN_TIMEOUT_NANOS = 250_000_000L;

    private final EffectMailbox effectMailbox;
    private final ClientInfo clientInfo;
    private final SessionServices services;
    private final long openedNanos;
    private volatile long id;

    @GuardedBy("this")
    private Life life = Life.NEW;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Whether its incarnation is over, and it waits to be closed or to move to another incarnation.
     */
    @GuardedBy("this")
    private boolean cut;

    @GuardedBy("this")
    private @Nullable Runnable released;

    /** Requests that were refused because of a timeout and whose effects are dropped. */
    @GuardedBy("this")
    private final Set<Long> timedOut = new HashSet<>(0);

    ReplicatedSession(
            long id, EffectMailbox effectMailbox, ClientInfo clientInfo, SessionServices services) {
        this.id = id;
        this.effectMailbox = effectMailbox;
        this.clientInfo = clientInfo;
        this.services = services;
        this.openedNanos = services.clock().getAsLong();
    }

    @Override
    public long id() {
        return id;
    }

    EffectMailbox mailbox() {
        return effectMailbox;
    }

    ClientInfo client() {
        return clientInfo;
    }

    // ---- called by the owner

    @Override
    public boolean submit(Command.Keyed command) {
        // Before this is locked, because it may lock the state.
        Refusal full = services.limits().refusal(command, clientInfo.usage());
        synchronized (this) {
            if (closed) {
                return true;
            }
            if (cut || command.session() != id) { // the owner may not have the new id yet
                effectMailbox.add(
                        new Effect.Refused(
                                command.session(), command.request(), Refusal.UNAVAILABLE));
                return true;
            }
            if (full != null) {
                effectMailbox.add(new Effect.Refused(command.session(), command.request(), full));
                return true;
            }
            if (command instanceof Command.Locking) {
                register();
            }
            add(new BatchItem.Submit(command), this, services.after(timeoutNanos(command)));
        }
        return false;
    }

    @Override
    public SignalClient openSignals(SignalEmitter signalEmitter) {
        return new ReplicatedSignalClient(services.signals(), this, false);
    }

    /** Delivers no more signals. */
    void stopSignals() {
        services.signals().detach(id);
    }

    /** Submits a request for signals; the result is delivered later. */
    void submitSignal(BatchItem batchItem) {
        Refusal refusal = null;
        synchronized (this) {
            if (closed) {
                return;
            }
            boolean isListen = batchItem instanceof BatchItem.Listen;
            if (cut) {
                refusal = Refusal.UNAVAILABLE;
            } else if (isListen && !services.limits().mayListen()) {
                refusal = Refusal.TOO_MANY_ENTRIES;
            } else {
                if (isListen) {
                    register();
                }
                add(batchItem, this, services.after(services.requestTimeoutNanos()));
            }
            if (refusal != null) {
                effectMailbox.add(new Effect.Refused(id, batchItem.request(), refusal));
            }
        }
        if (refusal != null) {
            effectMailbox.wake();
        }
    }

    /** Proposes an item that nobody waits for, without a timeout. */
    private void add(BatchItem batchItem) {
        add(batchItem, null, Long.MAX_VALUE);
    }

    private void add(BatchItem batchItem, @Nullable ReplicatedSession waiting, long deadlineNanos) {
        services.forwarder().add(new PendingBatchItem(batchItem, waiting, deadlineNanos));
    }

    /** Registers the session in the state, before its first command. */
    @GuardedBy("this")
    private void register() {
        if (life == Life.NEW) {
            life = Life.REGISTERED;
            services.lease().register();
            add(
                    new BatchItem.RegisterSession(
                            id,
                            clientInfo.protocol(),
                            clientInfo.name().get(),
                            clientInfo.concurrent()));
        }
    }

    /**
     * A wait time of the request is also its timeout, but never less than a healthy cluster may
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
        return wait > 0 ? Math.max(wait, MIN_TIMEOUT_NANOS) : services.requestTimeoutNanos();
    }

    @Override
    public List<TrackedRequestView> trackedRequests(long after, int max) {
        return services.queries().trackedRequests(id, 1, after, max);
    }

    @Override
    public boolean isHolding() {
        return services.queries().hasHolds(id, 1);
    }

    SessionView view(long nowNanos) {
        return SessionView.of(
                id, clientInfo, nowNanos - openedNanos, services.queries().usage(id, 1));
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
                add(new BatchItem.EndSession(id, lastAnswered));
                return;
            }
            life = Life.OVER;
        }
        services.registry().forget(this);
        whenReleased.run();
    }

    // ---- called when entries are applied, under the lock of the state

    /** Whether an effect is to be delivered to the owner. */
    synchronized boolean accepts(Effect effect) {
        return !cut && life != Life.OVER && !timedOut.contains(effect.request());
    }

    /** Delivers an effect. Returns whether the owner must be woken. */
    synchronized boolean deliver(Effect effect) {
        if (!accepts(effect)) {
            return false;
        }
        effectMailbox.add(effect);
        return true;
    }

    /**
     * Refuses a grant or a renewal that is too old to be delivered: its lease may be over. Returns
     * whether the owner must be woken.
     *
     * @param resourceKind the kind of what the session holds by it; null if it holds nothing
     */
    synchronized boolean refuse(Effect effect, @Nullable ResourceKind resourceKind) {
        if (closed || !accepts(effect)) {
            return false;
        }
        effectMailbox.add(
                new Effect.Refused(effect.session(), effect.request(), Refusal.UNAVAILABLE));
        if (resourceKind != null && effect instanceof Effect.Granted granted) {
            timedOut.add(granted.request());
            add(
                    new BatchItem.Submit(
                            new Command.Cancel(
                                    id, granted.request(), resourceKind, granted.key())));
        }
        return true;
    }

    /** Notes that an item was applied. Returns whether the owner must be woken. */
    synchronized boolean applied(BatchItem batchItem, boolean hasResult) {
        if (timedOut.contains(batchItem.request())) {
            if (!isCancelled(batchItem)) {
                timedOut.remove(batchItem.request());
            }
            return false;
        }
        if (cut || life == Life.OVER || hasResult || !(batchItem instanceof BatchItem.Submit)) {
            return false;
        }
        effectMailbox.onPending(batchItem.request());
        return true;
    }

    /**
     * Whether a request that timed out must be cancelled: it could get a queue position or a hold.
     */
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

    /**
     * Notes that all holds and waits of the session have ended. Returns what to run once the state
     * is not locked; null if the session was not closed.
     */
    synchronized @Nullable Runnable ended() {
        if (life != Life.ENDING) {
            return null;
        }
        services.lease().unregister();
        life = Life.OVER;
        Runnable whenReleased = released;
        released = null;
        return whenReleased;
    }

    // ---- timeouts and the end of the incarnation

    /**
     * Refuses a request that has timed out. The caller wakes the owner.
     *
     * @param neverProposed whether it was never proposed; ignored once the session is cut off
     * @param holds whether the session holds the resource of an enqueue by another, earlier enqueue
     */
    synchronized void timeOut(BatchItem batchItem, boolean neverProposed, boolean holds) {
        if (closed) { // no response is needed, and the end of the session undoes what it did
            return;
        }
        effectMailbox.add(
                new Effect.Refused(batchItem.session(), batchItem.request(), Refusal.UNAVAILABLE));
        boolean isAwait = batchItem instanceof BatchItem.Submit(Command.Await _);
        if (!cut && (isAwait || !neverProposed)) {
            timedOut.add(batchItem.request());
            if (isCancelled(batchItem)
                    && batchItem instanceof BatchItem.Submit(Command.Locking locking)) {
                cancel(locking, holds);
            }
        }
    }

    /**
     * Undoes what a timed out request may have done, and gives up the queue position that it was
     * about. A queued position belongs to no request until it is awaited, so it is awaited first;
     * an existing hold must not be released by that.
     */
    private void cancel(Command.Locking command, boolean holds) {
        long request = command.request();
        if ((command instanceof Command.Enqueue && !holds) || command instanceof Command.Await) {
            add(
                    new BatchItem.Submit(
                            new Command.Await(id, request, command.kind(), command.key(), 0)));
        }
        add(new BatchItem.Submit(new Command.Cancel(id, request, command.kind(), command.key())));
    }

    /**
     * Notes that the incarnation is over, and with it everything that the session had. Returns what
     * to run if the session was closed and waited for its end; null otherwise.
     */
    synchronized @Nullable Runnable cut() {
        if (life == Life.REGISTERED || life == Life.ENDING) {
            services.lease().unregister();
        }
        life = closed ? Life.OVER : Life.NEW;
        cut = true;
        timedOut.clear();
        Runnable whenReleased = released;
        released = null;
        return whenReleased;
    }

    /**
     * Moves the session to another incarnation, under a new id. Returns false if it is closed or
     * has been moved already.
     */
    synchronized boolean move(long newId) {
        if (!cut || closed) {
            return false;
        }
        id = newId;
        cut = false;
        return true;
    }
}
