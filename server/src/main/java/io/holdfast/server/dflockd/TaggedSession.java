package io.holdfast.server.dflockd;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Secret;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.server.connection.Connection;
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
 * A session in tagged mode: it can have many requests in flight, and may outlive its connection for
 * its grace. At any time it has one owner connection or none; calls of a former owner have no
 * effect.
 *
 * <p>Lock order: its monitor, then the driver's locks. The mailbox methods, which the driver calls,
 * therefore never take its monitor, except {@link #kick}.
 */
final class TaggedSession implements EffectMailbox {
    /** More requests than this are cancelled off the event loop. */
    private static final int MAX_INLINE_CANCELS = 512;

    private final Driver driver;
    private final Session session;
    private final long graceNanos;
    private final boolean autoRelease;
    private final Runnable onEnd;
    private final EffectQueue effects = new EffectQueue();

    /** Commands without a response, by request number. */
    @GuardedBy("this")
    private final LongObjectMap<Command.Keyed> unanswered = new LongObjectHashMap<>();

    /** Commands submitted and not known to be applied, by request number. */
    @GuardedBy("this")
    private final LongObjectMap<Boolean> unapplied = new LongObjectHashMap<>();

    /** The size of {@link #unapplied}; written under the lock. */
    private volatile int inFlight;

    /** Requests that were applied and have no result yet. */
    @GuardedBy("waits")
    private final ArrayDeque<Long> waits = new ArrayDeque<>();

    private volatile @Nullable Connection<?> owner;

    @GuardedBy("this")
    private Secret secret;

    /** The previous secret, until the client has shown that it received the current one. */
    @GuardedBy("this")
    private @Nullable Secret previousSecret;

    @GuardedBy("this")
    private String secretText;

    @GuardedBy("this")
    private @Nullable Future<?> graceEnd;

    @GuardedBy("this")
    private long lastTag;

    /** The last number of the server's own requests, which are negative. */
    @GuardedBy("this")
    private long lastOwnRequest;

    /** How often it has lost its connection. */
    @GuardedBy("this")
    private int detachCount;

    @GuardedBy("this")
    private boolean ended;

    /**
     * @param onEnd called once, when the session ends
     */
    TaggedSession(
            Driver driver,
            String label,
            long graceNanos,
            boolean autoRelease,
            Connection<?> owner,
            Runnable onEnd) {
        this.driver = driver;
        this.graceNanos = graceNanos;
        this.autoRelease = autoRelease;
        this.onEnd = onEnd;
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

    /** The secret that resumes it; it changes each time. */
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
        Connection<?> connected = owner;
        if (connected != null) {
            boolean _ = connected.mailbox().kick();
        }
        end();
        return true;
    }

    @Override
    public void wake() {
        Connection<?> connected = owner;
        if (connected != null) {
            connected.mailbox().wake();
        } // else the next owner polls the effects
    }

    /**
     * Makes a connection the owner if the secret matches; a former owner is closed. Undelivered
     * responses are discarded: the client queries what the session has.
     */
    synchronized boolean resume(byte[] candidate, Connection<?> next) {
        boolean current = secret.matches(candidate);
        boolean before = previousSecret != null && previousSecret.matches(candidate);
        if (!(current || before) || ended) {
            return false;
        }
        Connection<?> replaced = owner;
        owner = next;
        discardEffects();
        secretText = newSecret();
        if (current) {
            previousSecret = secret;
        } // else keep it: the client never received the current one
        secret = secret(secretText);
        if (graceEnd != null) {
            graceEnd.cancel(false);
            graceEnd = null;
        }
        if (replaced != null) {
            boolean _ = replaced.mailbox().kick();
        }
        return true;
    }

    /** Discards undelivered effects: the next owner queries what the session has. */
    @GuardedBy("this")
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

    /** Accepts the tag of a request of this connection if it is larger than all before it. */
    synchronized boolean takeTag(long tag, Connection<?> from) {
        if (tag <= lastTag || owner != from) {
            return false;
        }
        lastTag = tag;
        previousSecret = null;
        return true;
    }

    synchronized void submit(Command.Keyed command, Connection<?> from) {
        if (owner == from && !ended) {
            unanswered.put(command.request(), command);
            if (!session.submit(command)) {
                unapplied.put(command.request(), Boolean.TRUE);
                inFlight = unapplied.size();
            }
        }
    }

    /** The number of commands submitted and not known to be applied. */
    int inFlight() {
        return inFlight;
    }

    synchronized @Nullable Effect nextEffect(Connection<?> to) {
        return owner == to ? poll() : null;
    }

    @GuardedBy("this")
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

    /**
     * Discards effects of commands that were in flight at the resumption; true when none is left.
     */
    synchronized boolean drainInFlight(Connection<?> next) {
        if (owner == next) {
            discardEffects();
        }
        return inFlight == 0;
    }

    /** Removes and returns the command that an effect responds to; null if there is none. */
    synchronized Command.@Nullable Keyed removeResponded(long request) {
        return unanswered.remove(request);
    }

    /**
     * Cancels the wait of a request, if it waits.
     *
     * @param request the number of the cancel request
     * @param tag the request to cancel
     * @return whether an effect with the number of the cancel request follows
     */
    synchronized boolean cancel(long request, long tag, Connection<?> from) {
        Command.Keyed waiting = unanswered.get(tag);
        if (waiting instanceof Command.Acquire) {
            submit(new Command.Decline(session.id(), request, waiting.key(), tag), from);
            return true;
        }
        if (waiting instanceof Command.Await await) {
            // With its own number: from now on a grant of it is already released.
            submit(new Command.Cancel(session.id(), tag, await.kind(), await.key()), from);
        }
        return false;
    }

    /** Cancels all waits, with the same responses as if the client had cancelled them. */
    synchronized void cancelAll(Connection<?> from) {
        List<Long> waiting = new ArrayList<>();
        unanswered.forEach(
                (request, command) -> {
                    if (command instanceof Command.Acquire || command instanceof Command.Await) {
                        waiting.add(request);
                    }
                });
        for (long request : waiting) {
            boolean _ = cancel(--lastOwnRequest, request, from);
        }
    }

    /** Whether it has holds or requests without a response. */
    synchronized boolean isInUse() {
        return !unanswered.isEmpty() || session.isHolding();
    }

    /**
     * The connection has ended: ends the session after its grace.
     *
     * @param detachedSessions admits the session and schedules its end
     */
    synchronized void detach(Connection<?> from, DetachedSessions detachedSessions) {
        if (owner != from) {
            return; // another connection has resumed it
        }
        owner = null;
        if (!ended && graceNanos > 0 && detachedSessions.admits(this)) {
            int detachNumber = ++detachCount;
            graceEnd = detachedSessions.after(graceNanos, () -> endUnlessResumed(detachNumber));
        } else {
            end();
        }
    }

    /** The sessions that wait to be resumed. */
    interface DetachedSessions {
        boolean admits(TaggedSession session);

        Future<?> after(long nanos, Runnable task);
    }

    private synchronized void endUnlessResumed(int detachNumber) {
        if (owner == null
                && detachNumber == detachCount) { // it may have been resumed and detached again
            end();
        }
    }

    /** Ends the session now if this connection is its owner. */
    synchronized void end(Connection<?> from) {
        if (owner == from) {
            end();
        }
    }

    /** Ends the session now, whichever connection is its owner. */
    synchronized void end() {
        if (ended) {
            return;
        }
        ended = true;
        onEnd.run();
        if (graceEnd != null) {
            graceEnd.cancel(false);
            graceEnd = null;
        }
        List<Command> undelivered = undeliveredGrants();
        if (undelivered.size() <= MAX_INLINE_CANCELS) {
            close(undelivered);
        } else {
            Thread.startVirtualThread(() -> close(undelivered));
        }
    }

    /**
     * Commands that cancel requests whose grant could not be delivered and which the end of the
     * session does not cancel.
     */
    @GuardedBy("this")
    private List<Command> undeliveredGrants() {
        List<Command> undelivered = new ArrayList<>();
        unanswered.forEach(
                (request, command) -> {
                    if (command instanceof Command.Acquire acquire
                            && !(acquire.attributes().bound() && autoRelease)) {
                        undelivered.add(
                                new Command.CancelOrRelease(
                                        session.id(), --lastOwnRequest, acquire.key(), request));
                    } else if (command instanceof Command.Await await && !autoRelease) {
                        undelivered.add(
                                new Command.Cancel(
                                        session.id(), request, await.kind(), await.key()));
                    }
                });
        unanswered.clear();
        return undelivered;
    }

    private void close(List<Command> first) {
        first.forEach(command -> session.submit((Command.Keyed) command));
        session.close(Long.MAX_VALUE);
    }
}
