package io.holdfast.cluster.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * For how long this node may serve. It joins by requesting an incarnation, keeps it with heartbeats
 * while its sessions have something to lose, and cuts off its clients before the others can end an
 * incarnation that they do not have yet.
 *
 * <p>Thread-safe; no method waits for a disk. Its monitor is acquired after those of the replica
 * and of a session, and before that of the forwarder.
 */
final class NodeLease {
    private static final long JOIN_AGAIN_NANOS = 500_000_000L;

    /** The number of heartbeats of an incarnation in one session timeout. */
    private static final int HEARTBEATS_PER_TIMEOUT = 8;

    /**
     * The part of the session timeout without contact after which clients are disconnected, in
     * percent.
     */
    private static final int CUT_OFF_PERCENT = 70;

    private final String node;
    private final ReplicatedLog replicatedLog;
    private final BatchForwarder forwarder;
    private final LongSupplier clock;
    private final ReplicatedDriver.Environment environment;
    private volatile boolean closing;
    private volatile boolean left;

    /** The session timeout of the replicated settings. */
    @GuardedBy("this")
    private long sessionNanos;

    /**
     * The nonce of the current incarnation, or of the one that the node requests; null if there is
     * neither.
     */
    @GuardedBy("this")
    private @Nullable UUID nonce;

    @GuardedBy("this")
    private long joinSentNanos;

    @GuardedBy("this")
    private long nextJoinNanos = Long.MIN_VALUE;

    @GuardedBy("this")
    private long lastHeartbeatNanos;

    /**
     * The number of sessions that may have something in the state, and since when there are any.
     */
    @GuardedBy("this")
    private int registered;

    @GuardedBy("this")
    private long registeredSinceNanos;

    /** Whether the incarnation is over, and the clients are still connected. */
    @GuardedBy("this")
    private boolean cutOffDue;

    /** The number of threads that disconnect clients: no incarnation begins meanwhile. */
    @GuardedBy("this")
    private int cutOffs;

    NodeLease(
            String node,
            long sessionNanos,
            ReplicatedLog replicatedLog,
            BatchForwarder forwarder,
            LongSupplier clock,
            ReplicatedDriver.Environment environment) {
        this.node = node;
        this.sessionNanos = sessionNanos;
        this.replicatedLog = replicatedLog;
        this.forwarder = forwarder;
        this.clock = clock;
        this.lastHeartbeatNanos = clock.getAsLong(); // may be negative
        this.environment = environment;
    }

    /** The incarnation whose sessions this node serves; 0 if there is none. */
    long incarnation() {
        return forwarder.incarnation();
    }

    synchronized void sessionTimeout(long nanos) {
        sessionNanos = nanos;
    }

    // ---- sessions with something to lose

    synchronized void register() {
        if (registered++ == 0) {
            registeredSinceNanos = clock.getAsLong();
        }
    }

    synchronized void unregister() {
        registered--;
    }

    /** Requests a heartbeat if one is due. */
    synchronized void beat(long now) {
        if (registered > 0 && now - lastHeartbeatNanos >= sessionNanos / HEARTBEATS_PER_TIMEOUT) {
            lastHeartbeatNanos = now;
            forwarder.heartbeat();
        }
    }

    // ---- joining

    /** Requests an incarnation if this node has none; again, if that takes long. */
    void join(long now) {
        UUID requested = nextRequest(now);
        if (requested != null) {
            replicatedLog.propose(
                    LogEntryEncoding.encode(
                            new LogEntry.BeginIncarnation(node, requested), forwarder.version()),
                    _ -> {});
        }
    }

    private synchronized @Nullable UUID nextRequest(long now) {
        if (forwarder.incarnation() != 0 || cutOffs > 0 || closing || now < nextJoinNanos) {
            return null;
        }
        nextJoinNanos = now + JOIN_AGAIN_NANOS;
        if (nonce == null) {
            nonce = environment.randomUuid();
            joinSentNanos = now;
        }
        return nonce;
    }

    /**
     * Begins an incarnation, if this node requested it and has none. Returns the items that were
     * added since the last incarnation; null if it does not begin.
     */
    synchronized @Nullable List<PendingBatchItem> begin(UUID requestNonce, long incarnation) {
        if (forwarder.incarnation() != 0 || !requestNonce.equals(nonce)) {
            return null;
        }
        List<PendingBatchItem> lost = forwarder.end();
        forwarder.begin(incarnation, joinSentNanos);
        return lost;
    }

    // ---- the end

    /** An incarnation has ended in the state. */
    synchronized void ended(long incarnation) {
        if (incarnation == forwarder.incarnation()) {
            left = true;
            cutOffDue = true;
            environment.tickSoon();
        }
    }

    /** The state was replaced: the incarnation may have ended in between. */
    synchronized void stateReplaced() {
        if (forwarder.incarnation() != 0) {
            cutOffDue = true;
            environment.tickSoon();
        }
    }

    /** From now on, begins no other incarnation, and clients must be disconnected. */
    synchronized void cutOffAndClose() {
        closing = true;
        cutOffDue = true;
    }

    /**
     * Whether clients must be disconnected: the incarnation is over, or may soon be. If true, the
     * caller does so and calls {@link #endCutOff}.
     */
    synchronized boolean beginCutOff(long now) {
        boolean due = cutOffDue || isOutOfContact(now);
        cutOffDue = false;
        cutOffs += due ? 1 : 0;
        return due;
    }

    /** As {@link #beginCutOff}, but only if the incarnation may soon be over. */
    synchronized boolean beginCutOffIfOutOfContact(long now) {
        boolean due = isOutOfContact(now);
        cutOffs += due ? 1 : 0;
        return due;
    }

    synchronized void endCutOff() {
        cutOffs--;
    }

    @GuardedBy("this")
    private boolean isOutOfContact(long now) {
        if (forwarder.incarnation() == 0 || registered == 0) {
            return false;
        }
        long since = Math.max(forwarder.lastContactNanos(), registeredSinceNanos);
        return now - since > sessionNanos / 100 * CUT_OFF_PERCENT && !replicatedLog.isAlone();
    }

    /** Ends the incarnation on this node. Returns the items that were not applied. */
    synchronized List<PendingBatchItem> end() {
        nonce = null; // the same incarnation must not begin again
        nextJoinNanos = Long.MIN_VALUE;
        return forwarder.end();
    }

    /** From now on, begins no other incarnation. */
    void close() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    /** Proposes the end of the incarnation, and begins no other one. */
    void leave() {
        closing = true;
        long incarnation = forwarder.incarnation();
        left = incarnation == 0; // set already if an earlier incarnation has ended
        if (incarnation != 0) {
            replicatedLog.propose(
                    LogEntryEncoding.encode(
                            new LogEntry.EndIncarnation(incarnation), forwarder.version()),
                    _ -> {});
        }
    }

    /** Whether this node's replica has applied the end of the incarnation. */
    boolean hasLeft() {
        return left;
    }
}
