package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;

import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Models exactly the guarantees of Raft: one leader in a term, and one order of the committed
 * entries. When a leader fails, a prefix of its uncommitted entries may survive. A deposed leader
 * may take itself for the leader for a while, but its entries are lost.
 */
final class SimulatedRaft {
    private static final long TICK_NANOS = 40 * MILLI;

    /** An entry of the log. */
    record Appended(
            long term,
            EntryTime time,
            LogEntry entry,
            long atNanos,
            long readyNanos,
            Consumer<Boolean> outcome) {}

    private final SimulatedCluster simulatedCluster;
    private final SimulatedTime time;
    private final List<Appended> committed = new ArrayList<>();
    private final Deque<Appended> uncommitted = new ArrayDeque<>();

    /** Whether proposals may be reordered in the network, which drivers must tolerate. */
    private final boolean reorders;

    private final double loss;
    private @Nullable SimulatedNode leader;
    private long term;
    private long downSinceNanos = -1;
    private long electionNanos;
    boolean calm;

    SimulatedRaft(SimulatedCluster simulatedCluster) {
        this.simulatedCluster = simulatedCluster;
        this.time = simulatedCluster.time;
        this.reorders = time.chance(0.3);
        this.loss =
                simulatedCluster.isGentle() ? 0.01 : time.chance(0.5) ? 0 : time.between(0, 0.1);
        time.after(TICK_NANOS, this::tick);
    }

    List<Appended> committed() {
        return committed;
    }

    long term() {
        return term;
    }

    @Nullable SimulatedNode leader() {
        return leader;
    }

    // ---- elections

    private boolean canLead(SimulatedNode node) {
        if (!node.runs()) {
            return false;
        }
        int reached = 0;
        for (SimulatedNode other : simulatedCluster.nodes) {
            if (other == node || (other.runs() && simulatedCluster.areConnected(node, other))) {
                reached++;
            }
        }
        return reached * 2 > simulatedCluster.nodes.size();
    }

    private void tick() {
        time.after(TICK_NANOS, this::tick);
        SimulatedNode leads = leader;
        if (leads != null && canLead(leads)) {
            downSinceNanos = -1;
        } else if (downSinceNanos < 0) {
            downSinceNanos = time.now();
            electionNanos = time.randomDuration(50 * MILLI, 500 * MILLI);
        } else if (time.now() - downSinceNanos > electionNanos) {
            elect();
        }
        for (SimulatedNode node : simulatedCluster.nodes) {
            if (node.runs()) {
                spread(node);
            }
        }
        commitReady();
    }

    /** Lets a node learn who the leader is, or that it has lost the leadership itself. */
    private void spread(SimulatedNode node) {
        SimulatedNode leads = leader;
        if (leads != null
                && node.knownTerm() != term
                && (node == leads || isReachedByLeader(node))) {
            if (node == leads || calm || time.chance(0.3)) {
                node.learn(leads, term);
            }
        } else if (node.isLeader() && !canLead(node) && time.chance(0.1)) {
            lost(node);
            node.learn(null, node.knownTerm());
        }
        if (node.applied() < committed.size()) {
            node.applySoon();
        }
    }

    /** Ends the leadership of a node, for this term permanently. */
    void lost(SimulatedNode node) {
        if (node == leader) {
            leader = null;
        }
    }

    /** Whether messages of the leader reach a node. */
    boolean isReachedByLeader(SimulatedNode node) {
        SimulatedNode leads = leader;
        return leads != null
                && leads.runs()
                && (node == leads || simulatedCluster.areConnected(leads, node));
    }

    /** Starts a new term with a node that can be the leader. */
    void elect() {
        List<SimulatedNode> able = simulatedCluster.nodes.stream().filter(this::canLead).toList();
        if (able.isEmpty()) {
            return;
        }
        int survivors = time.pick(0, uncommitted.size());
        for (int i = 0; i < survivors; i++) {
            commit(uncommitted.removeFirst(), false);
        }
        for (Appended lost : uncommitted) {
            if (time.chance(0.5)) {
                lost.outcome().accept(false);
            }
        }
        uncommitted.clear();
        term++;
        downSinceNanos = -1;
        SimulatedNode next = able.get(time.pick(0, able.size() - 1));
        leader = next;
        next.later(
                time.randomDuration(MILLI, 30 * MILLI),
                () -> {
                    if (leader == next) {
                        next.learn(next, term);
                    }
                });
    }

    // ---- entries

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
        if (to.life() == 0 || time.chance(calm ? 0 : loss)) {
            perhaps(outcome, false);
            return;
        }
        long delay = time.randomDuration(MILLI / 10, time.chance(0.1) ? 100 * MILLI : 2 * MILLI);
        to.later(
                reorders ? delay : from.inOrder(delay),
                () -> {
                    if (simulatedCluster.reaches(from, to)) {
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
        if (at != leader || !at.isLeader() || (!inOrder && !reorders)) {
            perhaps(outcome, false);
            return;
        }
        LogEntry logEntry;
        try {
            logEntry = LogEntryEncoding.decode(bytes);
        } catch (EncodingException e) {
            throw new AssertionError(e);
        }
        long now = time.now();
        long delay = time.randomDuration(MILLI / 5, time.chance(0.05) ? 80 * MILLI : 3 * MILLI);
        long clock = at.clock();
        long heldBack =
                time.chance(0.02) ? time.randomDuration(0, 500 * MILLI) : 0; // as after a pause
        EntryTime appended = new EntryTime(clock, clock - heldBack);
        uncommitted.addLast(new Appended(term, appended, logEntry, now, now + delay, outcome));
        time.after(delay, this::commitReady);
    }

    private void commitReady() {
        SimulatedNode leads = leader;
        while (leads != null
                && !uncommitted.isEmpty()
                && uncommitted.getFirst().readyNanos() <= time.now()
                && canLead(leads)) {
            commit(uncommitted.removeFirst(), true);
        }
    }

    private void commit(Appended entry, boolean reported) {
        committed.add(entry);
        simulatedCluster.checker.apply(committed.size(), entry);
        if (!time.chance(0.03)) {
            entry.outcome().accept(reported);
        }
        simulatedCluster.nodes.forEach(SimulatedNode::applySoon);
    }
}
