package io.holdfast.server.dflockd;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Secret;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.server.connection.EffectQueue;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

/**
 * A session in tagged mode: it has many requests under way, and may outlive its connection for a
 * while. At any time it belongs to one connection or to none; a connection that it does not belong
 * to any more can do nothing with it.
 *
 * <p>Its lock is taken before those of the driver. The mailbox methods, which the driver calls,
 * therefore never take it.
 */
final class TaggedSession implements EffectMailbox {
    /** More requests than this are given up off the event loop. */
    private static final int MAX_INLINE_CANCELS = 512;

    private final Driver driver;
    private final Session session;
    private final long graceNanos;
    private final boolean autoRelease;
    private final Runnable forget;
    private final EffectQueue effects = new EffectQueue();

    /** What is not answered yet, by its request. */
    private final LongObjectMap<Command.Keyed> unanswered = new LongObjectHashMap<>();

    /** What was submitted and is not known to be applied, by its request. */
    private final LongObjectMap<Boolean> unapplied = new LongObjectHashMap<>();

    /** How many those are; written under the lock. */
    private volatile int inFlight;

    /** Requests that were applied and have no answer so far; guarded by itself. */
    private final ArrayDeque<Long> waits = new ArrayDeque<>();

    private volatile @Nullable DflockdHandler owner;
    private Secret secret;

    /** One of before, until it is clear that the present one has arrived. */
    private @Nullable Secret secretBefore;

    private String secretText;
    private @Nullable Future<?> graceEnd;
    private long lastTag;

    /** Numbers of requests that nobody sent: below 0. */
    private long lastOwn;

    /** How often it was left without a connection. */
    private int detachCount;

    private boolean ended;

    /**
     * @param forget called once, when the session ends
     */
    TaggedSession(
            Driver driver,
            String label,
            long graceNanos,
            boolean autoRelease,
            DflockdHandler owner,
            Runnable forget) {
        this.driver = driver;
        this.graceNanos = graceNanos;
        this.autoRelease = autoRelease;
        this.forget = forget;
        this.owner = owner;
        this.secretText = newSecret();
        this.secret = secret(secretText);
        this.session = driver.open(this, new ClientInfo("dflockd", () -> label, true));
    }

    private String newSecret() {
        return "%016x%016x".formatted(driver.salt(), driver.salt());
    }

    private static Secret secret(String text) {
        return new Secret(text.getBytes(StandardCharsets.US_ASCII));
    }

    Session session() {
        return session;
    }

    long graceNanos() {
        return graceNanos;
    }

    /** What resumes it; another one after each time. */
    synchronized String secret() {
        return secretText;
    }

    @Override
    public void add(Effect effect) {
        effects.add(effect);
    }

    @Override
    public void onPending(long request) {
        synchronized (waits) {
            waits.add(request);
        }
    }

    @Override
    public synchronized boolean kick() {
        DflockdHandler connected = owner;
        if (connected != null) {
            connected.kick();
        }
        end();
        return true;
    }

    @Override
    public void wake() {
        DflockdHandler awake = owner;
        if (awake != null) {
            awake.wake();
        } // else the next owner looks for itself
    }

    /**
     * Makes a connection the owner if the secret fits; the owner before, if there was one, is told
     * to go. Answers that were on their way are not given: it asks what the session has.
     */
    synchronized boolean resume(byte[] candidate, DflockdHandler next) {
        boolean present = secret.matches(candidate);
        boolean before = secretBefore != null && secretBefore.matches(candidate);
        if (!(present || before) || ended) {
            return false;
        }
        DflockdHandler replaced = owner;
        owner = next;
        discardEffects();
        secretText = newSecret();
        if (present) {
            secretBefore = secret;
        } // else it still has no other: the answer with the present one never arrived
        secret = secret(secretText);
        if (graceEnd != null) {
            graceEnd.cancel(false);
            graceEnd = null;
        }
        if (replaced != null) {
            replaced.replaced();
        }
        return true;
    }

    /** What nobody was there to be told: the next owner asks what it has. */
    private void discardEffects() {
        for (Effect effect = poll(); effect != null; effect = poll()) {
            Command.Keyed command = unanswered.remove(effect.request());
            if (command instanceof Command.Decline decline
                    && effect instanceof Effect.StatusReport statusReport
                    && statusReport.status() == OfferRequestStatus.QUEUED) {
                unanswered.remove(decline.targetRequest());
            }
        }
    }

    /** Whether the tag may be used by a request of this connection; no other may be after it. */
    synchronized boolean takeTag(long tag, DflockdHandler from) {
        if (tag <= lastTag || owner != from) {
            return false;
        }
        lastTag = tag;
        secretBefore = null;
        return true;
    }

    synchronized void submit(Command.Keyed command, DflockdHandler from) {
        if (owner == from && !ended) {
            unanswered.put(command.request(), command);
            if (!session.submit(command)) {
                unapplied.put(command.request(), Boolean.TRUE);
                inFlight = unapplied.size();
            }
        }
    }

    /** How many requests have been submitted and are not known to be applied. */
    int inFlight() {
        return inFlight;
    }

    synchronized @Nullable Effect nextEffect(DflockdHandler to) {
        return owner == to ? poll() : null;
    }

    private @Nullable Effect poll() {
        Effect effect = effects.poll();
        if (inFlight > 0) {
            if (effect != null) {
                unapplied.remove(effect.request());
            }
            synchronized (waits) {
                waits.forEach(unapplied::remove);
                waits.clear();
            }
            inFlight = unapplied.size();
        }
        return effect;
    }

    /** Lets what was on its way when it was resumed arrive, and says whether all of it has. */
    synchronized boolean drainInFlight(DflockdHandler next) {
        if (owner == next) {
            discardEffects();
        }
        return inFlight == 0;
    }

    /** What an effect answers, if it answers anything; it is answered by that. */
    synchronized Command.@Nullable Keyed answered(long request) {
        return unanswered.remove(request);
    }

    /**
     * Ends the wait of a request, if it waits, as the request of this number.
     *
     * @return whether an effect of that number follows
     */
    synchronized boolean cancel(long request, long tag, DflockdHandler from) {
        Command.Keyed waiting = unanswered.get(tag);
        if (waiting instanceof Command.Acquire) {
            submit(new Command.Decline(session.id(), request, waiting.key(), tag), from);
            return true;
        }
        if (waiting instanceof Command.Await await) {
            // By its own number: from now on a grant of it is one that was given back.
            submit(new Command.Cancel(session.id(), tag, await.kind(), await.key()), from);
        }
        return false;
    }

    /** Ends all waits; each is answered as if it had been cancelled. */
    synchronized void cancelAll(DflockdHandler from) {
        List<Long> waiting = new ArrayList<>();
        unanswered.forEach(
                (request, command) -> {
                    if (command instanceof Command.Acquire || command instanceof Command.Await) {
                        waiting.add(request);
                    }
                });
        for (long request : waiting) {
            boolean _ = cancel(--lastOwn, request, from);
        }
    }

    /** Whether anything would be lost with it. */
    synchronized boolean isInUse() {
        return !unanswered.isEmpty() || session.isHolding();
    }

    /**
     * The connection has ended: so does the session, after its grace.
     *
     * @param park how to call when that is over
     */
    synchronized void detach(DflockdHandler from, DetachedSessions park) {
        if (owner != from) {
            return; // it has been resumed
        }
        owner = null;
        if (!ended && graceNanos > 0 && park.admits(this)) {
            int parting = ++detachCount;
            graceEnd = park.after(graceNanos, () -> endUnlessResumed(parting));
        } else {
            end();
        }
    }

    /** Where sessions without a connection wait. */
    interface DetachedSessions {
        boolean admits(TaggedSession session);

        Future<?> after(long nanos, Runnable task);
    }

    private synchronized void endUnlessResumed(int parting) {
        if (owner == null && parting == detachCount) { // it may have been resumed and left again
            end();
        }
    }

    /** Ends it now, unless it belongs to another connection. */
    synchronized void end(DflockdHandler from) {
        if (owner == from) {
            end();
        }
    }

    /** Ends it now, whoever it belongs to. */
    synchronized void end() {
        if (ended) {
            return;
        }
        ended = true;
        forget.run();
        if (graceEnd != null) {
            graceEnd.cancel(false);
            graceEnd = null;
        }
        List<Command> untold = undeliveredGrants();
        if (untold.size() <= MAX_INLINE_CANCELS) {
            close(untold);
        } else {
            Thread.startVirtualThread(() -> close(untold));
        }
    }

    /** Requests whose grant nobody would know of, and which the end of a session does not end. */
    private List<Command> undeliveredGrants() {
        List<Command> untold = new ArrayList<>();
        unanswered.forEach(
                (request, command) -> {
                    if (command instanceof Command.Acquire acquire
                            && !(acquire.terms().bound() && autoRelease)) {
                        untold.add(
                                new Command.CancelOrRelease(
                                        session.id(), --lastOwn, acquire.key(), request));
                    } else if (command instanceof Command.Await await && !autoRelease) {
                        untold.add(
                                new Command.Cancel(
                                        session.id(), request, await.kind(), await.key()));
                    }
                });
        unanswered.clear();
        return untold;
    }

    private void close(List<Command> first) {
        first.forEach(command -> session.submit((Command.Keyed) command));
        session.close(Long.MAX_VALUE);
    }
}
