package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;

import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The log of the cluster: brings proposals to the leader, and checks that what one node takes for
 * committed is what all others do.
 */
final class SimulatedRaft {
    /** Entries count on links as if the commands of clients were that much longer. */
    private static final int LENGTH_FACTOR = 20;

    private final SimulatedCluster simulatedCluster;
    private final SimulatedTime time;
    private final List<RaftEntry> committed = new ArrayList<>();

    /** Whether proposals may be reordered in the network, which drivers must tolerate. */
    private final boolean reorders;

    private final double loss;

    SimulatedRaft(SimulatedCluster simulatedCluster) {
        this.simulatedCluster = simulatedCluster;
        this.time = simulatedCluster.time;
        this.reorders = !simulatedCluster.isGentle() && time.chance(0.3);
        this.loss =
                simulatedCluster.isGentle() ? 0.01 : time.chance(0.5) ? 0 : time.between(0, 0.1);
    }

    // ---- what is committed

    /** The entries that any node took for committed. */
    List<RaftEntry> committed() {
        return committed;
    }

    /** The last committed member list. */
    RaftEntry.Members members() {
        for (RaftEntry entry : committed.reversed()) {
            if (entry.content() instanceof RaftEntry.Members members) {
                return members;
            }
        }
        return RaftEntry.Members.NONE;
    }

    boolean isMember(UUID dataId) {
        RaftEntry.Members now = members();
        return now.previous().isEmpty() && now.contains(dataId);
    }

    /** Notes that a node takes entries of its log for committed. */
    void onCommit(SimulatedPeer peer, int from, int to) {
        for (int index = from + 1; index <= to; index++) {
            RaftEntry entry = peer.directory.entry(index);
            if (index > committed.size()) {
                committed.add(entry);
                simulatedCluster.checker().apply(index, entry);
            } else if (committed.get(index - 1) != entry) {
                throw lost(index, peer);
            }
        }
    }

    /** A node takes another entry for committed than nodes before it. */
    private AssertionError lost(int index, SimulatedPeer peer) {
        List<RaftEntry> entries = committed.subList(index - 1, committed.size());
        List<String> confirmed =
                entries.stream()
                        .flatMap(entry -> simulatedCluster.history.confirmedBy(entry).stream())
                        .toList();
        return new AssertionError(
                "%s: %d entries from %d, which was %s, and for %s it is %s"
                        .formatted(
                                confirmed.isEmpty()
                                        ? "committed entries are lost"
                                        : "acknowledged changes are lost: " + confirmed,
                                entries.size(),
                                index,
                                entries.getFirst(),
                                peer.self.name(),
                                peer.directory.entry(index)));
    }

    /** A new cluster begins with the state of a backup. */
    void restore(RaftEntry restored) {
        committed.clear();
        committed.add(restored);
    }

    // ---- the leader

    /** The node that leads in the latest term; null if there is none. */
    @Nullable SimulatedNode leader() {
        SimulatedNode latest = null;
        long term = -1;
        for (SimulatedNode node : simulatedCluster.nodes) {
            SimulatedPeer peer = node.peer();
            if (peer != null && node.runs() && peer.isLeader() && peer.directory.term > term) {
                latest = node;
                term = peer.directory.term;
            }
        }
        return latest;
    }

    /** The latest term of the nodes. */
    long term() {
        long term = 0;
        for (SimulatedNode node : simulatedCluster.nodes) {
            term = Math.max(term, node.directory().term);
        }
        return term;
    }

    /** Lets a node start an election, as for a transfer of the leadership. */
    void elect() {
        List<SimulatedNode> able =
                simulatedCluster.nodes.stream()
                        .filter(node -> node.runs() && node.peer() != null)
                        .toList();
        if (!able.isEmpty()) {
            SimulatedPeer peer = able.get(time.pick(0, able.size() - 1)).peer();
            if (peer != null) {
                peer.campaign(false);
            }
        }
    }

    // ---- proposals

    /** Proposes an entry for a node. */
    void propose(SimulatedNode from, byte[] bytes, Consumer<Boolean> callback) {
        long number = from.nextProposal();
        SimulatedNode to = from.isLeader() ? from : from.knownLeader();
        if (to == null) {
            callback.accept(false);
            return;
        }
        int life = from.life();
        Consumer<Boolean> outcome =
                in ->
                        from.later(
                                life, time.randomDuration(0, 3 * MILLI), () -> callback.accept(in));
        if (to == from) {
            append(from, from, number, bytes, outcome);
            return;
        }
        if (to.life() == 0 || time.chance(simulatedCluster.isCalm() ? 0 : loss)) {
            perhaps(outcome, false);
            return;
        }
        if (simulatedCluster.network.isFull(from.address(), to.address())) {
            perhaps(outcome, false);
            return;
        }
        long delay =
                simulatedCluster.network.delay(
                                from.address(), to.address(), true, bytes.length * LENGTH_FACTOR)
                        + time.randomDuration(0, time.chance(0.1) ? 100 * MILLI : MILLI);
        to.later(
                reorders ? delay : from.inOrder(delay),
                () -> {
                    if (simulatedCluster.network.reaches(from.address(), to.address())) {
                        append(to, from, number, bytes, outcome);
                    } else {
                        perhaps(outcome, false);
                    }
                });
    }

    private void perhaps(Consumer<Boolean> outcome, boolean in) {
        if (time.chance(0.6)) {
            outcome.accept(in);
        }
    }

    private void append(
            SimulatedNode at,
            SimulatedNode from,
            long number,
            byte[] bytes,
            Consumer<Boolean> outcome) {
        boolean inOrder = from.appended(number);
        SimulatedPeer peer = at.peer();
        if (peer == null || !peer.isLeader() || (!inOrder && !reorders)) {
            perhaps(outcome, false);
            return;
        }
        LogEntry logEntry;
        try {
            logEntry = LogEntryEncoding.decode(bytes, at.known());
        } catch (EncodingException e) {
            throw new AssertionError(e);
        }
        long clock = at.clock();
        long heldBack =
                time.chance(0.02) ? time.randomDuration(0, 500 * MILLI) : 0; // as after a pause
        peer.propose(
                new EntryTime(clock, clock - heldBack),
                logEntry,
                bytes.length * LENGTH_FACTOR,
                outcome);
    }
}
