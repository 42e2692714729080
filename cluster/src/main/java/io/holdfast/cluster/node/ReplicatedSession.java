package io.holdfast.cluster.node;

import io.holdfast.cluster.entry.Item;
import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Peer;
import io.holdfast.driver.Session;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.signal.SignalRequest;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Kind;
import io.holdfast.engine.PlaceView;
import io.holdfast.engine.Possessions;
import io.holdfast.engine.Refusal;

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
        KNOWN,
        /** Its end is on the way into the log. */
        ENDING,
        /** Nothing happens any more. */
        OVER
    }

    private static final long LEAST_PATIENCE_NANOS = 250_000_000L;

    private final Mailbox mailbox;
    private final Peer peer;
    private final long openedNanos;
    private final ReplicatedDriver driver;
    private volatile long id;
    private Life life = Life.NEW;
    private boolean closed;

    /** Whether its stint is over, and it waits for its end or for another stint. */
    private boolean cut;

    private @Nullable Runnable released;

    /** Requests whose sender was told that they take too long. */
    private final Set<Long> givenUp = new HashSet<>(0);

    ReplicatedSession(
            long id, Mailbox mailbox, Peer peer, long openedNanos, ReplicatedDriver driver) {
        this.id = id;
        this.mailbox = mailbox;
        this.peer = peer;
        this.openedNanos = openedNanos;
        this.driver = driver;
    }

    @Override
    public long id() {
        return id;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    Peer peer() {
        return peer;
    }

    // ---- what its owner asks

    @Override
    public boolean submit(Command.Keyed command) {
        synchronized (this) {
            if (closed) {
                return true;
            }
            if (cut || command.session() != id) { // who asks may not know its new number yet
                mailbox.add(
                        new Effect.Refused(
                                command.session(), command.request(), Refusal.UNAVAILABLE));
                return true;
            }
            Refusal full = driver.limit(command, peer.usage());
            if (full != null) {
                mailbox.add(new Effect.Refused(command.session(), command.request(), full));
                return true;
            }
            if (command instanceof Command.Locking) {
                introduce();
            }
            driver.add(
                    new Pending(new Item.Ask(command), this, driver.after(patienceNanos(command))));
        }
        return false;
    }

    /** Asks about signals; the answer comes later. */
    void submit(SignalRequest request) {
        Item item =
                switch (request) {
                    case SignalRequest.Listen(long number, var pattern, var group) ->
                            new Item.Listen(id, number, pattern, group);
                    case SignalRequest.Unlisten(long number, var pattern, var group) ->
                            new Item.Unlisten(id, number, pattern, group);
                    case SignalRequest.Emit(long number, var channel, var payload) ->
                            new Item.Emit(id, number, channel, payload);
                };
        Refusal refusal = null;
        synchronized (this) {
            if (closed) {
                return;
            }
            boolean listens = item instanceof Item.Listen;
            if (cut) {
                refusal = Refusal.UNAVAILABLE;
            } else if (listens && !driver.maySubscribe()) {
                refusal = Refusal.TOO_MANY_ENTRIES;
            } else {
                if (listens) {
                    introduce();
                }
                driver.add(new Pending(item, this, driver.after(driver.patienceNanos())));
            }
            if (refusal != null) {
                mailbox.add(new Effect.Refused(id, item.request(), refusal));
            }
        }
        if (refusal != null) {
            mailbox.wake();
        }
    }

    /** The state is to know the session before anything of it. */
    private void introduce() {
        if (life == Life.NEW) {
            life = Life.KNOWN;
            driver.known(1);
            driver.add(
                    new Pending(
                            new Item.Introduce(
                                    id, peer.protocol(), peer.name().get(), peer.concurrent()),
                            null,
                            Long.MAX_VALUE));
        }
    }

    /**
     * Those who say how long they wait mean the cluster too, but not less than a healthy one may
     * need.
     */
    private long patienceNanos(Command.Keyed command) {
        long wait =
                switch (command) {
                    case Command.Acquire acquire -> acquire.waitNanos();
                    case Command.Await await -> await.waitNanos();
                    case Command.Ask ask -> ask.waitNanos();
                    default -> 0;
                };
        return wait > 0 ? Math.max(wait, LEAST_PATIENCE_NANOS) : driver.patienceNanos();
    }

    @Override
    public List<PlaceView> places(long after, int most) {
        return driver.read((views, now) -> views.places(id, after, most, now));
    }

    @Override
    public boolean isHolding() {
        return driver.read((views, _) -> views.hasHolds(id));
    }

    SessionView view(long nowNanos) {
        Possessions here = driver.read((views, _) -> views.possessions(id));
        return new SessionView(
                id,
                peer.protocol(),
                peer.name().get(),
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
            if (life == Life.KNOWN) {
                life = Life.ENDING;
                released = whenReleased;
                driver.add(new Pending(new Item.End(id, lastAnswered), null, Long.MAX_VALUE));
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
        return !cut && life != Life.OVER && !givenUp.contains(effect.request());
    }

    /** Takes an effect; whether its owner is to be woken. */
    synchronized boolean take(Effect effect) {
        if (!wants(effect)) {
            return false;
        }
        mailbox.add(effect);
        return true;
    }

    /**
     * A lease that its owner was to be told of may be over by now; whether its owner is to be
     * woken.
     *
     * @param kind of what it holds by it; null if nothing
     */
    synchronized boolean refuse(Effect effect, @Nullable Kind kind) {
        if (closed || !wants(effect)) {
            return false;
        }
        mailbox.add(new Effect.Refused(effect.session(), effect.request(), Refusal.UNAVAILABLE));
        if (kind != null && effect instanceof Effect.Granted granted) {
            givenUp.add(granted.request());
            addForNobody(new Command.Cancel(id, granted.request(), kind, granted.key()));
        }
        return true;
    }

    /** An item was applied; whether its owner is to be woken. */
    synchronized boolean applied(Item item, boolean answered) {
        if (givenUp.contains(item.request())) {
            if (!isCancelled(item)) {
                givenUp.remove(item.request());
            }
            return false;
        }
        if (cut || life == Life.OVER || answered || !(item instanceof Item.Ask)) {
            return false;
        }
        mailbox.waits(item.request());
        return true;
    }

    /** Whether a cancel follows when its sender gives up: it could get a place or a hold. */
    private static boolean isCancelled(Item item) {
        return item instanceof Item.Ask(Command.Keyed command)
                && switch (command) {
                    case Command.Acquire _,
                            Command.Enqueue _,
                            Command.Await _,
                            Command.Claim _,
                            Command.Ask _,
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
        driver.known(-1);
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
    synchronized void giveUp(Item item, boolean neverIn, boolean holds) {
        if (closed) { // nobody waits for it, and its end takes back what it did
            return;
        }
        mailbox.add(new Effect.Refused(item.session(), item.request(), Refusal.UNAVAILABLE));
        boolean leaves = item instanceof Item.Ask(Command.Await _);
        if (!cut && (leaves || !neverIn)) {
            givenUp.add(item.request());
            if (isCancelled(item) && item instanceof Item.Ask(Command.Locking locking)) {
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
            addForNobody(new Command.Await(id, request, asked.kind(), asked.key(), 0));
        }
        addForNobody(new Command.Cancel(id, request, asked.kind(), asked.key()));
    }

    private void addForNobody(Command.Keyed command) {
        driver.add(new Pending(new Item.Ask(command), null, Long.MAX_VALUE));
    }

    /**
     * The stint it belonged to is over, and all it had with it. What its owner waits for, if it is
     * closing.
     */
    synchronized @Nullable Runnable cut() {
        if (life == Life.KNOWN || life == Life.ENDING) {
            driver.known(-1);
        }
        life = closed ? Life.OVER : Life.NEW;
        cut = true;
        givenUp.clear();
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
