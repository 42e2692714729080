package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;
import static io.holdfast.cluster.simulation.SimulatedTime.SECOND;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.rpc.RefusedConnections;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The links between addresses, which may be cut or slow in one direction, and the processes at the
 * addresses. A request reaches whoever is at the address, if both sides admit the connection. Each
 * link has two connections, one for bulk data, and each of them keeps the order of messages.
 */
final class SimulatedNetwork {
    /** The time without a reply after which a request counts as failed. */
    private static final long REPLY_NANOS = SECOND;

    /** The time that data takes to pass, if there is as much as fits before a slow link. */
    private static final long FULL_NANOS = 4 * SECOND;

    /** A process that listens at an address. */
    interface Listener {
        /** The part of Raft; null if the node has no cluster. */
        @Nullable SimulatedPeer peer();

        /** A member of a cluster connects to a node without one. */
        void greeted(SimulatedPeer opener);
    }

    /** A direction between two addresses, which have different ports. */
    private record Direction(int from, int to) {
        static Direction of(NodeAddress from, NodeAddress to) {
            return new Direction(from.port(), to.port());
        }
    }

    private static final class Link {
        long bytesPerSecond;
        long slowUntilNanos;

        /** When the bulk data that was sent will have passed. */
        long busyUntilNanos;

        /** The last arrival over each connection. */
        long lastNanos;

        long lastBulkNanos;
    }

    private record Connection(SimulatedPeer opener, SimulatedPeer acceptor, UUID expected) {}

    private record Decision(long openerVersion, long acceptorVersion, boolean admitted) {}

    final SimulatedTime time;
    final RefusedConnections refused = new RefusedConnections();

    /** Whether heartbeats and votes wait behind bulk data, as over a single connection. */
    private final boolean shared;

    private final BrokenRule broken;
    private final Map<NodeAddress, Listener> listeners = new HashMap<>();
    private final Map<Direction, Link> links = new HashMap<>();
    private final Set<Direction> cuts = new HashSet<>();
    private final Map<Connection, Decision> decisions = new HashMap<>();

    SimulatedNetwork(SimulatedTime time, boolean shared, BrokenRule broken) {
        this.time = time;
        this.shared = shared;
        this.broken = broken;
    }

    void listen(NodeAddress address, Listener listener) {
        listeners.put(address, listener);
    }

    void close(NodeAddress address) {
        listeners.remove(address);
    }

    long diskNanos() {
        return time.randomDuration(MILLI / 10, time.chance(0.03) ? 80 * MILLI : 2 * MILLI);
    }

    // ---- links

    boolean reaches(NodeAddress from, NodeAddress to) {
        return cuts.isEmpty() || !cuts.contains(Direction.of(from, to));
    }

    boolean areConnected(NodeAddress one, NodeAddress other) {
        return reaches(one, other) && reaches(other, one);
    }

    void cut(NodeAddress from, NodeAddress to, long durationNanos) {
        Direction direction = Direction.of(from, to);
        cuts.add(direction);
        time.after(durationNanos, () -> cuts.remove(direction));
    }

    void slowDown(NodeAddress from, NodeAddress to, long bytesPerSecond, long durationNanos) {
        Link link = link(from, to);
        link.bytesPerSecond = bytesPerSecond;
        link.slowUntilNanos = time.now() + durationNanos;
    }

    void mend() {
        cuts.clear();
        links.values().forEach(link -> link.slowUntilNanos = 0);
    }

    private Link link(NodeAddress from, NodeAddress to) {
        return links.computeIfAbsent(Direction.of(from, to), _ -> new Link());
    }

    /** Whether no more data fits into what waits before a link. */
    boolean isFull(NodeAddress from, NodeAddress to) {
        return link(from, to).busyUntilNanos - time.now() > FULL_NANOS;
    }

    /** Returns the delay of a message. */
    long delay(NodeAddress from, NodeAddress to, boolean bulk, int bytes) {
        Link link = link(from, to);
        long now = time.now();
        long passed = now;
        if (bulk || shared) {
            passed = Math.max(now, link.busyUntilNanos);
            if (now < link.slowUntilNanos) {
                passed += bytes * SECOND / link.bytesPerSecond;
            }
            link.busyUntilNanos = passed;
        }
        long arrival =
                passed
                        + time.randomDuration(
                                MILLI / 10, time.chance(0.03) ? 80 * MILLI : 2 * MILLI);
        if (bulk) {
            link.lastBulkNanos = Math.max(link.lastBulkNanos + 1, arrival);
            return link.lastBulkNanos - now;
        }
        link.lastNanos = Math.max(link.lastNanos + 1, arrival);
        return link.lastNanos - now;
    }

    // ---- requests

    /**
     * Sends a request to a member, and its reply back.
     *
     * @param request is given the receiver, and what to call with the reply
     * @param onFailure called if there is no reply in time
     */
    <T> void call(
            SimulatedPeer from,
            Member to,
            boolean bulk,
            int bytes,
            BiConsumer<SimulatedPeer, Consumer<T>> request,
            Consumer<T> onReply,
            Runnable onFailure) {
        NodeAddress here = from.process.address();
        NodeAddress there = to.address();
        if (!bulk && shared && isFull(here, there)) {
            return;
        }
        boolean[] done = new boolean[1];
        boolean opened = reaches(here, there) && accept(from, to) != null;
        long delay = delay(here, there, bulk, opened ? bytes : 0);
        time.after(
                delay,
                () -> {
                    SimulatedPeer receiver = reaches(here, there) ? accept(from, to) : null;
                    if (receiver != null) {
                        receiver.deliver(
                                () ->
                                        request.accept(
                                                receiver,
                                                reply ->
                                                        reply(
                                                                receiver,
                                                                from,
                                                                bulk,
                                                                () -> {
                                                                    if (!done[0]) {
                                                                        done[0] = true;
                                                                        onReply.accept(reply);
                                                                    }
                                                                })));
                    }
                });
        if (bulk) {
            from.later(
                    delay + REPLY_NANOS,
                    () -> {
                        if (!done[0]) {
                            done[0] = true;
                            onFailure.run();
                        }
                    });
        }
    }

    private void reply(SimulatedPeer from, SimulatedPeer to, boolean bulk, Runnable task) {
        NodeAddress here = from.process.address();
        NodeAddress there = to.process.address();
        time.after(
                delay(here, there, bulk, 0),
                () -> {
                    if (reaches(here, there)) {
                        to.deliver(task);
                    }
                });
    }

    /** Returns who accepts a connection at the address of a member; null if it fails. */
    private @Nullable SimulatedPeer accept(SimulatedPeer opener, Member to) {
        Listener listener = listeners.get(to.address());
        SimulatedPeer acceptor = listener == null ? null : listener.peer();
        if (acceptor == null) {
            if (listener != null) {
                listener.greeted(opener);
            }
            return null;
        }
        if (broken == BrokenRule.STRANGER_ADMITTED) {
            return acceptor;
        }
        Connection connection = new Connection(opener, acceptor, to.dataId());
        Decision decision = decisions.get(connection);
        if (decision == null
                || decision.openerVersion() != opener.membersVersion()
                || decision.acceptorVersion() != acceptor.membersVersion()) {
            decision =
                    new Decision(
                            opener.membersVersion(),
                            acceptor.membersVersion(),
                            opener.admission.connects(to, acceptor.admission));
            decisions.put(connection, decision);
        }
        return decision.admitted() ? acceptor : null;
    }
}
