package io.holdfast.client.wire;

import io.holdfast.client.service.AcquireOutcome;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.ServiceException.Kind;

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
 * All acquires of a plain service, and the connections on which they wait: one each, as many as the
 * settings allow. The others wait here, in order; now and then the first of each key tries its luck
 * over the common connection, so that a free key never waits for a connection.
 */
final class PlainAcquireQueue
        implements PlainConnection.PlainConnectionListener, PlainHold.PlainHoldListener {
    /** A connection that carries nothing is closed after this. */
    private static final long IDLE_TIMEOUT_NANOS = 30_000_000_000L;

    private static final long POLL_NANOS = 500_000_000;
    private static final int POLLS_AT_ONCE = 32;

    private final PlainContext context;
    private final SharedPlainConnection common;
    private final IntSupplier otherConnections;
    private final Runnable lostHolds;
    private final Map<KindAndKey, ClientWaitersForKey> queues = new HashMap<>();
    private final TreeMap<Long, PlainAttempt> wantConnection = new TreeMap<>();
    private final Set<PlainAttempt> open = new LinkedHashSet<>();
    private final Set<PlainConnection> connections = new LinkedHashSet<>();
    private final Map<PlainConnection, PlainAttempt> dialing = new HashMap<>();
    private final ReconnectBackoff reconnectBackoff = new ReconnectBackoff();
    private boolean paused;
    private boolean polling;
    private long lastPolled;
    private boolean closed;

    /**
     * @param otherConnections how many there are beside the common one and ours
     * @param lostHolds told when a connection with holds is lost
     */
    PlainAcquireQueue(
            PlainContext context,
            SharedPlainConnection common,
            IntSupplier otherConnections,
            Runnable lostHolds) {
        this.context = context;
        this.common = common;
        this.otherConnections = otherConnections;
        this.lostHolds = lostHolds;
    }

    void start(PlainAttempt attempt) {
        open.add(attempt);
        if (closed) {
            attempt.giveUp(
                    new AcquireOutcome.Failed(
                            context.failure(Kind.CLOSED, "the client was closed", null)));
        } else if (attempt.isPatient()) {
            attempt.startClock();
            queues.computeIfAbsent(attempt.queueKey(), unused -> new ClientWaitersForKey())
                    .add(attempt);
            advance(attempt.queueKey());
        } else {
            attempt.tryNow(common);
        }
    }

    /** Lets the first of a line go on if it can. */
    void advance(KindAndKey key) {
        ClientWaitersForKey line = queues.get(key);
        if (line == null) {
            return;
        }
        PlainAttempt first = line.first();
        if (first != null && first.isQueuedHere()) {
            if (!first.wasTried() && !line.hasEnqueued()) {
                first.tryNow(common);
            } else {
                wantConnection.put(first.number(), first);
                serve();
            }
        } else if (line.isEmpty()) {
            queues.remove(key);
        }
    }

    /** It has its place at the server: the next may ask for one. */
    void enqueued(PlainAttempt attempt) {
        ClientWaitersForKey line = queues.get(attempt.queueKey());
        if (line != null) {
            line.markEnqueued(attempt);
            advance(attempt.queueKey());
        }
    }

    /** It has ended. */
    void removed(PlainAttempt attempt, boolean wasPlaced) {
        open.remove(attempt);
        wantConnection.remove(attempt.number());
        ClientWaitersForKey line = queues.get(attempt.queueKey());
        if (line == null || !attempt.isPatient()) {
            return;
        }
        if (wasPlaced) {
            line.unmarkEnqueued();
        } else {
            line.remove(attempt);
        }
        advance(attempt.queueKey());
    }

    /** It must begin anew. */
    void restarted(PlainAttempt attempt, boolean wasPlaced) {
        ClientWaitersForKey line =
                queues.computeIfAbsent(attempt.queueKey(), unused -> new ClientWaitersForKey());
        if (wasPlaced) {
            line.unmarkEnqueued();
        }
        line.add(attempt);
        advance(attempt.queueKey());
    }

    void withdraw(ImmediateRequest request) {
        common.withdraw(request);
    }

    PlainHold hold(PlainConnection by, KindAndKey line, GrantLine grantLine, long askedAtNanos) {
        return new PlainHold(context, common, this, by, line, grantLine, askedAtNanos);
    }

    @Override
    public void released(PlainHold hold) {
        ClientWaitersForKey line = queues.get(hold.queueKey());
        PlainAttempt first = line == null ? null : line.first();
        if (line != null && first != null && !line.hasEnqueued() && wants(first)) {
            wantConnection.remove(first.number());
            first.tryNow(common);
        }
    }

    private boolean wants(PlainAttempt attempt) {
        return wantConnection.containsKey(attempt.number());
    }

    private void serve() {
        while (!wantConnection.isEmpty() && !closed) {
            PlainConnection plainConnection = obtain();
            if (plainConnection == null) {
                pollLater();
                return;
            }
            PlainAttempt first = wantConnection.pollFirstEntry().getValue();
            if (!plainConnection.isIdle()) {
                dialing.put(plainConnection, first);
            }
            first.assign(plainConnection);
            if (dialing.containsKey(plainConnection)) {
                plainConnection.dial(PlainConnector.Choice.SAME);
            }
        }
    }

    /** One that carries nothing, a new one, or at last one with holds; null if all wait. */
    private @Nullable PlainConnection obtain() {
        PlainConnection withHolds = null;
        for (PlainConnection plainConnection : connections) {
            if (plainConnection.isIdle()) {
                if (!plainConnection.carriesHolds()) {
                    return plainConnection;
                }
                withHolds = plainConnection;
            }
        }
        int most = context.config().maxConnections() - 1 - otherConnections.getAsInt();
        if (connections.size() < most && !paused) {
            PlainConnection plainConnection = new PlainConnection(context, this);
            connections.add(plainConnection);
            return plainConnection;
        }
        return withHolds;
    }

    /** Opens no new connections for a moment. */
    void pause() {
        if (!paused) {
            paused = true;
            context.after(
                    reconnectBackoff.nextNanos(),
                    () -> {
                        paused = false;
                        serve();
                    });
        }
    }

    private void pollLater() {
        if (!polling) {
            polling = true;
            context.after(POLL_NANOS, this::poll);
        }
    }

    private void poll() {
        polling = false;
        if (closed) {
            return;
        }
        List<PlainAttempt> next = new ArrayList<>();
        choose(wantConnection.tailMap(lastPolled, false), next);
        choose(wantConnection.headMap(lastPolled, true), next);
        for (PlainAttempt attempt : next) {
            lastPolled = attempt.number();
            wantConnection.remove(attempt.number());
            attempt.tryNow(common);
        }
        if (!wantConnection.isEmpty()) {
            pollLater();
        }
    }

    private void choose(Map<Long, PlainAttempt> from, List<PlainAttempt> into) {
        for (PlainAttempt attempt : from.values()) {
            ClientWaitersForKey line = queues.get(attempt.queueKey());
            if (into.size() == POLLS_AT_ONCE) {
                return;
            }
            if (line != null && !line.hasEnqueued()) {
                into.add(attempt);
            }
        }
    }

    /** Closes a connection and with it what waits on it. */
    void drop(PlainConnection plainConnection) {
        connections.remove(plainConnection);
        dialing.remove(plainConnection);
        plainConnection.close();
        serve();
    }

    @Override
    public void opened(PlainConnection plainConnection) {
        PlainAttempt attempt = dialing.remove(plainConnection);
        if (attempt != null) {
            attempt.enqueue(plainConnection);
        }
    }

    @Override
    public void failed(PlainConnection plainConnection, ServiceException why) {
        connections.remove(plainConnection);
        pause();
        PlainAttempt attempt = dialing.remove(plainConnection);
        if (attempt != null) {
            attempt.connectionFailed(why);
        }
    }

    @Override
    public void idle(PlainConnection plainConnection) {
        reconnectBackoff.reset();
        serve();
    }

    @Override
    public void ended(PlainConnection plainConnection, boolean abruptly) {
        connections.remove(plainConnection);
        if (!plainConnection.wasAnswered()) {
            pause(); // a full server takes connections and closes them at once
        }
        if (plainConnection.carriedAtEnd()) {
            lostHolds.run();
        }
        serve();
    }

    @Override
    public void tick(PlainConnection plainConnection) {
        if (!plainConnection.carriesHolds()
                && context.now() - plainConnection.lastUsedNanos() >= IDLE_TIMEOUT_NANOS) {
            drop(plainConnection);
        }
    }

    /**
     * The server, or the way to it, is in doubt. Connections that wait cannot be asked whether they
     * live; without holds they are better opened anew.
     */
    void suspectServer() {
        for (PlainConnection plainConnection : List.copyOf(connections)) {
            if (!plainConnection.isIdle()
                    && !plainConnection.carriesHolds()
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

    /** Ends all that wait; holds are left alone. */
    void cancelAll() {
        closed = true;
        List.copyOf(open).forEach(attempt -> attempt.giveUp(new AcquireOutcome.Cancelled()));
    }

    void close() {
        List.copyOf(connections).forEach(this::drop);
    }
}
