package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/**
 * All acquires of a plain service, and the connections on which they wait: one per waiter, up to
 * the configured maximum. Acquires beyond that wait here in order. Periodically the first one of
 * each key is sent as a try-acquire over the shared connection, so that a free key does not wait
 * for a connection.
 */
final class AcquireConnectionPool
        implements PlainConnection.PlainConnectionListener, PlainHold.PlainHoldListener {
    /** How long a connection without holds may be unused before it is closed. */
    private static final long IDLE_TIMEOUT_NANOS = 30_000_000_000L;

    private static final long POLL_NANOS = 500_000_000;
    private static final int POLLS_AT_ONCE = 32;

    private final PlainServiceState serviceState;
    private final SharedPlainConnection common;
    private final IntSupplier otherConnections;
    private final Runnable lostHolds;
    private final Map<KindAndKey, ClientWaitersForKey> queues = new HashMap<>();
    private final TreeMap<Long, PlainAcquireAttempt> awaitingConnection = new TreeMap<>();
    private final Set<PlainAcquireAttempt> open = new LinkedHashSet<>();
    private final Set<PlainConnection> connections = new LinkedHashSet<>();
    private final Map<PlainConnection, PlainAcquireAttempt> dialing = new HashMap<>();
    private final ReconnectBackoff reconnectBackoff = new ReconnectBackoff();
    private boolean paused;
    private boolean polling;
    private long lastPolled;
    private boolean closed;

    /**
     * @param otherConnections the number of connections besides the shared one and those of this
     *     queue
     * @param lostHolds called when a connection with holds is lost
     */
    AcquireConnectionPool(
            PlainServiceState serviceState,
            SharedPlainConnection common,
            IntSupplier otherConnections,
            Runnable lostHolds) {
        this.serviceState = serviceState;
        this.common = common;
        this.otherConnections = otherConnections;
        this.lostHolds = lostHolds;
    }

    void start(PlainAcquireAttempt attempt) {
        open.add(attempt);
        if (closed) {
            attempt.endWith(
                    new AcquireOutcome.Failed(
                            serviceState.failure(Kind.CLOSED, "the client was closed", null)));
        } else if (attempt.waits()) {
            attempt.startClock();
            queues.computeIfAbsent(attempt.queueKey(), unused -> new ClientWaitersForKey())
                    .add(attempt);
            advance(attempt.queueKey());
        } else {
            attempt.tryNow(common);
        }
    }

    /** Advances the first local waiter for the key, if it can proceed. */
    void advance(KindAndKey key) {
        ClientWaitersForKey waiters = queues.get(key);
        if (waiters == null) {
            return;
        }
        PlainAcquireAttempt first = waiters.first();
        if (first != null && first.isQueuedHere()) {
            if (!first.wasTried() && !waiters.hasEnqueued()) {
                first.tryNow(common);
            } else {
                awaitingConnection.put(first.number(), first);
                assignConnections();
            }
        } else if (waiters.isEmpty()) {
            queues.remove(key);
        }
    }

    /** The attempt is in the server's queue: the next one may enqueue. */
    void enqueued(PlainAcquireAttempt attempt) {
        ClientWaitersForKey waiters = queues.get(attempt.queueKey());
        if (waiters != null) {
            waiters.markEnqueued(attempt);
            advance(attempt.queueKey());
        }
    }

    /** The attempt has ended. */
    void removed(PlainAcquireAttempt attempt, boolean wasEnqueued) {
        open.remove(attempt);
        awaitingConnection.remove(attempt.number());
        ClientWaitersForKey waiters = queues.get(attempt.queueKey());
        if (waiters == null || !attempt.waits()) {
            return;
        }
        if (wasEnqueued) {
            waiters.unmarkEnqueued();
        } else {
            waiters.remove(attempt);
        }
        advance(attempt.queueKey());
    }

    /** The attempt must start over. */
    void restarted(PlainAcquireAttempt attempt, boolean wasEnqueued) {
        ClientWaitersForKey waiters =
                queues.computeIfAbsent(attempt.queueKey(), unused -> new ClientWaitersForKey());
        if (wasEnqueued) {
            waiters.unmarkEnqueued();
        }
        waiters.add(attempt);
        advance(attempt.queueKey());
    }

    void withdraw(ImmediateRequest request) {
        common.withdraw(request);
    }

    PlainHold hold(
            PlainConnection by, KindAndKey queueKey, GrantLine grantLine, long requestedAtNanos) {
        return new PlainHold(serviceState, common, this, by, queueKey, grantLine, requestedAtNanos);
    }

    @Override
    public void released(PlainHold hold) {
        ClientWaitersForKey waiters = queues.get(hold.queueKey());
        PlainAcquireAttempt first = waiters == null ? null : waiters.first();
        if (waiters != null && first != null && !waiters.hasEnqueued() && awaitsConnection(first)) {
            awaitingConnection.remove(first.number());
            first.tryNow(common);
        }
    }

    private boolean awaitsConnection(PlainAcquireAttempt attempt) {
        return awaitingConnection.containsKey(attempt.number());
    }

    private void assignConnections() {
        while (!awaitingConnection.isEmpty() && !closed) {
            PlainConnection plainConnection = obtain();
            if (plainConnection == null) {
                pollLater();
                return;
            }
            PlainAcquireAttempt first = awaitingConnection.pollFirstEntry().getValue();
            if (!plainConnection.isIdle()) {
                dialing.put(plainConnection, first);
            }
            first.assign(plainConnection);
            if (dialing.containsKey(plainConnection)) {
                plainConnection.dial(PlainConnector.Choice.SAME);
            }
        }
    }

    /**
     * Returns an idle connection without holds, otherwise a new connection, otherwise an idle one
     * with holds; null if all are busy and the maximum is reached.
     */
    private @Nullable PlainConnection obtain() {
        PlainConnection withHolds = null;
        for (PlainConnection plainConnection : connections) {
            if (plainConnection.isIdle()) {
                if (!plainConnection.hasHolds()) {
                    return plainConnection;
                }
                withHolds = plainConnection;
            }
        }
        int max = serviceState.config().maxConnections() - 1 - otherConnections.getAsInt();
        if (connections.size() < max && !paused) {
            PlainConnection plainConnection = new PlainConnection(serviceState, this);
            connections.add(plainConnection);
            return plainConnection;
        }
        return withHolds;
    }

    /** Suspends opening new connections for the backoff time. */
    void pause() {
        if (!paused) {
            paused = true;
            serviceState.after(
                    reconnectBackoff.nextNanos(),
                    () -> {
                        paused = false;
                        assignConnections();
                    });
        }
    }

    private void pollLater() {
        if (!polling) {
            polling = true;
            serviceState.after(POLL_NANOS, this::poll);
        }
    }

    private void poll() {
        polling = false;
        if (closed) {
            return;
        }
        List<PlainAcquireAttempt> next = new ArrayList<>();
        choose(awaitingConnection.tailMap(lastPolled, false), next);
        choose(awaitingConnection.headMap(lastPolled, true), next);
        for (PlainAcquireAttempt attempt : next) {
            lastPolled = attempt.number();
            awaitingConnection.remove(attempt.number());
            attempt.tryNow(common);
        }
        if (!awaitingConnection.isEmpty()) {
            pollLater();
        }
    }

    private void choose(Map<Long, PlainAcquireAttempt> from, List<PlainAcquireAttempt> into) {
        for (PlainAcquireAttempt attempt : from.values()) {
            ClientWaitersForKey waiters = queues.get(attempt.queueKey());
            if (into.size() == POLLS_AT_ONCE) {
                return;
            }
            if (waiters != null && !waiters.hasEnqueued()) {
                into.add(attempt);
            }
        }
    }

    /** Closes a connection, which ends the wait on it. */
    void drop(PlainConnection plainConnection) {
        connections.remove(plainConnection);
        dialing.remove(plainConnection);
        plainConnection.close();
        assignConnections();
    }

    @Override
    public void opened(PlainConnection plainConnection) {
        PlainAcquireAttempt attempt = dialing.remove(plainConnection);
        if (attempt != null) {
            attempt.enqueue(plainConnection);
        }
    }

    @Override
    public void failed(PlainConnection plainConnection, ServiceException why) {
        connections.remove(plainConnection);
        pause();
        PlainAcquireAttempt attempt = dialing.remove(plainConnection);
        if (attempt != null) {
            attempt.connectionFailed(why);
        }
    }

    @Override
    public void idle(PlainConnection plainConnection) {
        reconnectBackoff.reset();
        assignConnections();
    }

    @Override
    public void ended(PlainConnection plainConnection, boolean abruptly) {
        connections.remove(plainConnection);
        if (!plainConnection.hasReceivedResponse()) {
            pause(); // a server at its limit accepts connections and closes them at once
        }
        if (plainConnection.hadHoldsAtEnd()) {
            lostHolds.run();
        }
        assignConnections();
    }

    @Override
    public void tick(PlainConnection plainConnection) {
        if (!plainConnection.hasHolds()
                && serviceState.now() - plainConnection.lastUsedNanos() >= IDLE_TIMEOUT_NANOS) {
            drop(plainConnection);
        }
    }

    /**
     * The server may have failed or become unreachable. Connections that wait for a grant cannot be
     * pinged, so those without holds are closed and opened again.
     */
    void suspectServer() {
        for (PlainConnection plainConnection : List.copyOf(connections)) {
            if (!plainConnection.isIdle()
                    && !plainConnection.hasHolds()
                    && !dialing.containsKey(plainConnection)) {
                plainConnection.abort();
            }
        }
    }

    List<PlainHold> holds() {
        List<PlainHold> all = new ArrayList<>(common.connection().holds());
        connections.forEach(plainConnection -> all.addAll(plainConnection.holds()));
        return all;
    }

    /** Cancels all acquires; holds are not affected. */
    void cancelAll() {
        closed = true;
        List.copyOf(open).forEach(attempt -> attempt.endWith(new AcquireOutcome.Cancelled()));
    }

    void close() {
        List.copyOf(connections).forEach(this::drop);
    }
}
