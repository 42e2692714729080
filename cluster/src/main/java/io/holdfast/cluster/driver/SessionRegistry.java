package io.holdfast.cluster.driver;

import io.holdfast.cluster.state.SessionIdEncoding;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.DriverObserver;
import io.holdfast.driver.EffectMailbox;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sessions of this node's clients. Their ids belong to the incarnation of the node; when it is
 * over, clients are disconnected, and sessions whose owners stay move to the next incarnation.
 * Thread-safe, without a lock of its own.
 */
final class SessionRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(SessionRegistry.class);

    private final NodeLease lease;
    private final DriverObserver observer;
    private final ReplicatedDriver.Environment environment;
    private final Map<Long, ReplicatedSession> sessions = new ConcurrentHashMap<>();
    private final AtomicLong lastSession = new AtomicLong();

    /** Sessions whose owners stay connected; they move to the next incarnation. */
    private final Queue<ReplicatedSession> withoutIncarnation = new ConcurrentLinkedQueue<>();

    SessionRegistry(
            NodeLease lease, DriverObserver observer, ReplicatedDriver.Environment environment) {
        this.lease = lease;
        this.observer = observer;
        this.environment = environment;
    }

    ReplicatedSession open(
            EffectMailbox effectMailbox, ClientInfo clientInfo, SessionServices services) {
        long incarnation = lease.incarnation();
        ReplicatedSession session =
                new ReplicatedSession(newId(incarnation), effectMailbox, clientInfo, services);
        sessions.put(session.id(), session);
        if (incarnation == 0 || lease.incarnation() != incarnation) { // not serving, or it ended
            session.cut();
            environment.runLater(() -> disconnect(session));
        }
        observer.onSessionOpened(session.id(), clientInfo);
        return session;
    }

    private long newId(long incarnation) {
        return SessionIdEncoding.of(incarnation, lastSession.incrementAndGet());
    }

    /** A session of this node; null if there is none. */
    @Nullable ReplicatedSession find(long session) {
        return sessions.get(session);
    }

    @Nullable ClientUsage usageOf(long session) {
        ReplicatedSession found = sessions.get(session);
        return found == null ? null : found.client().usage();
    }

    Collection<ReplicatedSession> all() {
        return sessions.values();
    }

    /** Removes a session that has ended. */
    void forget(ReplicatedSession session) {
        sessions.remove(session.id());
        session.stopSignals();
        observer.onSessionClosed(session.id(), session.client());
    }

    /**
     * Disconnects all clients: the incarnation is over or will be soon, and with it its sessions.
     * Clients are disconnected before another session can be granted what they hold. Called without
     * any lock, between the begin and the end of a cut-off of the lease.
     */
    void cutOff() {
        if (!lease.isClosing()) {
            LOG.warn(
                    "no contact with the leader for too long; closing client connections before"
                            + " their sessions expire");
        }
        List<PendingBatchItem> lost = lease.end();
        for (ReplicatedSession session : List.copyOf(sessions.values())) {
            Runnable released = session.cut();
            if (released != null) {
                forget(session);
                released.run();
            } else {
                disconnect(session);
            }
        }
        lost.addAll(lease.end()); // items added meanwhile
        lost.removeIf(item -> item.timedOut);
        PendingBatchItem.timeOutAll(lost);
    }

    private void disconnect(ReplicatedSession session) {
        if (!session.mailbox().kick()) {
            withoutIncarnation.add(session);
            adopt(); // an incarnation may have begun meanwhile
        }
    }

    /** Moves sessions without an incarnation to the current one, if there is one. */
    void adopt() {
        for (long incarnation = lease.incarnation();
                incarnation != 0;
                incarnation = lease.incarnation()) {
            ReplicatedSession session = withoutIncarnation.poll();
            if (session == null) {
                return;
            }
            long before = session.id();
            long next = newId(incarnation);
            sessions.put(next, session);
            sessions.remove(session.move(next) ? before : next, session);
            if (lease.incarnation() != incarnation) { // ended without cutting off this session
                session.cut();
                withoutIncarnation.add(session);
            }
        }
    }
}
