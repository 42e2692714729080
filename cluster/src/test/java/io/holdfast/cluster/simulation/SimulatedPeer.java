package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.raft.SimulatedAdmission;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A model of Raft in one process, from its start to its end, over the data directory: elections
 * with a pre-vote, one request with entries in flight to each follower and heartbeats beside it,
 * commits of entries of the current term by majorities of synced directories, and changes of the
 * members through both majorities. Directories count by their data ids, as peers of Ratis do.
 */
final class SimulatedPeer {
    private static final long TICK_NANOS = 50 * MILLI;
    private static final long MIN_ELECTION_NANOS = 250 * MILLI;
    private static final long MAX_ELECTION_NANOS = 500 * MILLI;
    private static final long RETRY_NANOS = 50 * MILLI;
    private static final int MAX_REQUEST_BYTES = 16_384;
    private static final int MESSAGE_BYTES = 64;

    /** The process around it. */
    interface Process {
        NodeAddress address();

        /** The number of the current process; 0 if it has ended. */
        int life();

        /** Runs a task after a delay, and not while the process pauses, unless it has ended. */
        void later(int ofLife, long delayNanos, Runnable task);

        /** Runs a task now, under the same conditions. */
        void deliver(int ofLife, Runnable task);

        /** More entries are committed. */
        void onCommit(SimulatedPeer peer, int from, int to);

        /** The state was replaced by a snapshot of the leader. */
        void onInstalled(SimulatedDirectory.StoredSnapshot snapshot);

        /** The leader has changed; null if it is unknown. */
        void onLeader(@Nullable Member leader);
    }

    private enum Role {
        FOLLOWER,
        CANDIDATE,
        LEADER
    }

    /** What a leader knows about another node. */
    private final class Follower {
        final Member member;
        int next = directory.lastIndex() + 1;
        int match;
        boolean inFlight;
        long contactNanos = time.now();

        Follower(Member member) {
            this.member = member;
        }
    }

    private record Vote(long term, boolean granted) {}

    private record Append(
            long term,
            Member leader,
            int previous,
            long previousTerm,
            List<RaftEntry> entries,
            SimulatedDirectory.@Nullable StoredSnapshot snapshot,
            int commit) {}

    private record Appended(long term, boolean fits, int last) {}

    /** A node that is sent the log before it becomes a member. */
    private record Admission(Member added, @Nullable Member replaced) {}

    final SimulatedDirectory directory;
    final Process process;
    final Member self;
    final SimulatedAdmission admission;
    private final SimulatedNetwork network;
    private final SimulatedTime time;
    private final int life;

    /** Counts what could change who is admitted. */
    private long membersVersion;

    private Role role = Role.FOLLOWER;
    private @Nullable Member leader;
    private int committed;
    private long heardNanos = Long.MIN_VALUE / 2;
    private long electionNanos;

    private final Map<UUID, Follower> followers = new LinkedHashMap<>();
    private final TreeMap<Integer, Consumer<Boolean>> outcomes = new TreeMap<>();
    private @Nullable Admission admitting;

    /** The index of the first entry of the term, with which a leader begins. */
    private int firstOfTerm;

    SimulatedPeer(SimulatedDirectory directory, Process process, SimulatedNetwork network) {
        this.directory = directory;
        this.process = process;
        this.network = network;
        this.time = network.time;
        this.life = process.life();
        this.self = new Member(process.address(), directory.dataId);
        this.admission =
                new SimulatedAdmission(
                        new NodeIdentity("holdfast", clusterId(), self, directory.initialMembers()),
                        network.refused);
        SimulatedDirectory.StoredSnapshot snapshot = directory.snapshot();
        this.committed = snapshot == null ? 0 : snapshot.index();
        membersChanged();
        awaitElection();
        later(time.randomDuration(0, TICK_NANOS), this::tick);
    }

    UUID clusterId() {
        return Objects.requireNonNull(directory.clusterId());
    }

    void later(long delayNanos, Runnable task) {
        process.later(life, delayNanos, task);
    }

    /** Handles a message that has arrived. */
    void deliver(Runnable task) {
        process.deliver(life, task);
    }

    long membersVersion() {
        return membersVersion;
    }

    RaftEntry.Members members() {
        return directory.members();
    }

    int committed() {
        return committed;
    }

    /** Whether it leads and can append entries. */
    boolean isLeader() {
        return role == Role.LEADER && committed >= firstOfTerm;
    }

    private void membersChanged() {
        RaftEntry.Members now = members();
        admission.change(
                directory.termAt(directory.membersIndex()),
                directory.membersIndex() == 0 ? -1 : directory.membersIndex(),
                now.members(),
                now.previous());
        membersVersion++;
    }

    private List<Member> others() {
        List<Member> others = members().all();
        others.remove(self);
        return others;
    }

    // ---- elections

    private void tick() {
        later(TICK_NANOS, this::tick);
        if (role == Role.LEADER) {
            long since = time.now() - MAX_ELECTION_NANOS;
            if (!members().isMajority(matching(f -> f.contactNanos >= since, true))
                    && time.chance(0.3)) { // a leader notices it late
                follow(null);
            } else {
                List.copyOf(followers.values()).forEach(this::heartbeat);
            }
        } else if (time.now() >= electionNanos) {
            campaign(true);
        }
    }

    private void awaitElection() {
        electionNanos = time.now() + time.randomDuration(MIN_ELECTION_NANOS, MAX_ELECTION_NANOS);
    }

    /**
     * Asks the others for their votes.
     *
     * @param pre only whether they would vote, so that a node without a majority starts no term
     */
    void campaign(boolean pre) {
        awaitElection();
        if (role == Role.LEADER || !members().contains(self.dataId())) {
            return;
        }
        long term = directory.term + 1;
        if (!pre) {
            directory.term = term;
            directory.vote = self.dataId();
            role = Role.CANDIDATE;
            learn(null);
        }
        Set<UUID> votes = new HashSet<>(Set.of(self.dataId()));
        long lastTerm = directory.termAt(directory.lastIndex());
        int lastIndex = directory.lastIndex();
        Consumer<Vote> count =
                vote -> {
                    observe(vote.term());
                    boolean asked =
                            pre
                                    ? role != Role.LEADER && directory.term == term - 1
                                    : role == Role.CANDIDATE && directory.term == term;
                    if (asked && vote.granted() && members().isMajority(votes)) {
                        if (pre) {
                            campaign(false);
                        } else {
                            lead();
                        }
                    }
                };
        count.accept(new Vote(directory.term, true));
        for (Member other : others()) {
            network.<Vote>call(
                    this,
                    other,
                    false,
                    MESSAGE_BYTES,
                    (receiver, respond) ->
                            receiver.onVoteRequest(pre, term, self, lastTerm, lastIndex, respond),
                    vote -> {
                        if (vote.granted()) {
                            votes.add(other.dataId());
                        }
                        count.accept(vote);
                    },
                    () -> {});
        }
    }

    private void onVoteRequest(
            boolean pre,
            long term,
            Member candidate,
            long lastTerm,
            int lastIndex,
            Consumer<Vote> respond) {
        boolean granted = directory.isNotNewerThan(lastTerm, lastIndex);
        if (pre) {
            granted &=
                    term > directory.term
                            && role != Role.LEADER
                            && time.now() - heardNanos >= MIN_ELECTION_NANOS;
        } else {
            observe(term);
            granted &=
                    term == directory.term
                            && (directory.vote == null
                                    || directory.vote.equals(candidate.dataId()));
            if (granted) {
                directory.vote = candidate.dataId();
                awaitElection();
            }
        }
        respond.accept(new Vote(directory.term, granted));
    }

    /** Notes a term that another node has. */
    private void observe(long term) {
        if (term > directory.term) {
            directory.term = term;
            directory.vote = null;
            follow(null);
        }
    }

    private void follow(@Nullable Member next) {
        if (role == Role.LEADER) {
            outcomes.values().stream()
                    .filter(_ -> time.chance(0.5))
                    .forEach(outcome -> outcome.accept(false));
            outcomes.clear();
            followers.clear();
            admitting = null;
            awaitElection();
        }
        role = Role.FOLLOWER;
        learn(next);
    }

    private void learn(@Nullable Member next) {
        if (!Objects.equals(leader, next)) {
            leader = next;
            process.onLeader(next);
        }
    }

    private void lead() {
        role = Role.LEADER;
        firstOfTerm = directory.lastIndex() + 1;
        others().forEach(this::followed);
        append(members(), _ -> {});
    }

    private Follower followed(Member member) {
        return followers.computeIfAbsent(member.dataId(), _ -> new Follower(member));
    }

    // ---- the log of the leader

    /** Appends a proposal. */
    void propose(EntryTime entryTime, LogEntry entry, int bytes, Consumer<Boolean> outcome) {
        append(new RaftEntry.Proposal(entryTime, entry, bytes), outcome);
    }

    private void append(RaftEntry.Content content, Consumer<Boolean> outcome) {
        directory.append(new RaftEntry(directory.term, time.now(), content));
        int index = directory.lastIndex();
        outcomes.put(index, outcome);
        if (content instanceof RaftEntry.Members) {
            membersChanged();
            others().forEach(this::followed);
        }
        long term = directory.term;
        later(
                network.diskNanos(),
                () -> {
                    if (role == Role.LEADER && directory.term == term) {
                        directory.sync(index);
                        commitAcknowledged();
                    }
                });
        List.copyOf(followers.values()).forEach(this::replicate);
    }

    private void replicate(Follower follower) {
        if (follower.inFlight || follower.next > directory.lastIndex()) {
            return;
        }
        SimulatedDirectory.StoredSnapshot snapshot = null;
        int previous = follower.next - 1;
        int last = previous;
        int bytes = MESSAGE_BYTES;
        if (previous < directory.purged()) {
            snapshot = Objects.requireNonNull(directory.snapshot());
            previous = 0;
            last = snapshot.index();
            bytes += snapshot.bytes().length;
        } else {
            while (last < directory.lastIndex() && bytes < MAX_REQUEST_BYTES) {
                bytes += directory.entry(++last).bytes();
            }
        }
        follower.inFlight = true;
        send(
                follower,
                true,
                bytes,
                new Append(
                        directory.term,
                        self,
                        previous,
                        directory.termAt(previous),
                        directory.entries(previous + 1, last),
                        snapshot,
                        committed));
    }

    private void heartbeat(Follower follower) {
        send(
                follower,
                false,
                MESSAGE_BYTES,
                new Append(
                        directory.term,
                        self,
                        follower.match,
                        directory.termAt(follower.match),
                        List.of(),
                        null,
                        committed));
    }

    private void send(Follower follower, boolean bulk, int bytes, Append message) {
        long term = directory.term;
        network.<Appended>call(
                this,
                follower.member,
                bulk,
                bytes,
                (receiver, respond) -> receiver.onAppend(message, respond),
                reply -> {
                    observe(reply.term());
                    if (role == Role.LEADER && directory.term == term) {
                        follower.contactNanos = time.now();
                        acknowledged(follower, bulk, reply);
                    }
                },
                () -> {
                    if (bulk && role == Role.LEADER && directory.term == term) {
                        later(
                                RETRY_NANOS,
                                () -> {
                                    follower.inFlight = false;
                                    if (role == Role.LEADER && directory.term == term) {
                                        replicate(follower);
                                    }
                                });
                    }
                });
    }

    private void acknowledged(Follower follower, boolean bulk, Appended reply) {
        follower.inFlight &= !bulk;
        if (!reply.fits()) {
            if (!follower.inFlight) {
                follower.next = Math.min(follower.next, reply.last() + 1);
            }
        } else if (bulk) {
            follower.match = Math.max(follower.match, reply.last());
            follower.next = Math.max(follower.next, follower.match + 1);
            admitIfReady(follower);
            commitAcknowledged();
        }
        if (role == Role.LEADER) {
            replicate(follower);
        }
    }

    private interface Condition {
        boolean holds(Follower follower);
    }

    private Set<UUID> matching(Condition condition, boolean leaderDoes) {
        Set<UUID> ids = new HashSet<>();
        if (leaderDoes) {
            ids.add(self.dataId());
        }
        for (Follower follower : followers.values()) {
            if (condition.holds(follower)) {
                ids.add(follower.member.dataId());
            }
        }
        return ids;
    }

    private void commitAcknowledged() {
        for (int index = directory.lastIndex();
                index >= firstOfTerm && index > committed;
                index--) {
            int last = index;
            if (members().isMajority(matching(f -> f.match >= last, directory.synced() >= last))) {
                boolean began = isLeader();
                commit(last);
                if (!began) {
                    learn(self);
                }
                report();
                continueChange();
                List.copyOf(followers.values()).forEach(this::heartbeat);
                return;
            }
        }
    }

    private void report() {
        Map<Integer, Consumer<Boolean>> done = outcomes.headMap(committed, true);
        done.values().stream()
                .filter(_ -> !time.chance(0.03)) // may be lost
                .forEach(outcome -> outcome.accept(true));
        done.clear();
    }

    private void commit(int index) {
        if (index > committed) {
            int before = committed;
            committed = index;
            admission.commit(index);
            if (before < directory.membersIndex() && directory.membersIndex() <= index) {
                membersVersion++;
            }
            process.onCommit(this, before, index);
        }
    }

    // ---- the members

    /** Admits a node if it leads and changes nothing else: it is first sent the log. */
    void admit(Member added, @Nullable Member replaced) {
        if (admitting != null && !admitting.added().equals(added)) { // it may be gone
            followers.remove(admitting.added().dataId());
            admitting = null;
        }
        if (isLeader()
                && admitting == null
                && members().previous().isEmpty()
                && directory.membersIndex() <= committed
                && (replaced == null || members().members().contains(replaced))
                && !members().contains(added.dataId())) {
            admitting = new Admission(added, replaced);
            Follower next = followed(added);
            next.next = 1; // nothing may be appended that would show what it lacks
            replicate(next);
        }
    }

    private void admitIfReady(Follower follower) {
        Admission change = admitting;
        if (change != null
                && follower.member.equals(change.added())
                && follower.match >= committed) {
            admitting = null;
            List<Member> before = members().members();
            List<Member> next = new ArrayList<>(before);
            next.remove(change.replaced());
            next.add(change.added());
            append(new RaftEntry.Members(next, before), _ -> {});
        }
    }

    /** Ends a change that both majorities have. */
    private void continueChange() {
        if (directory.membersIndex() <= committed) {
            RaftEntry.Members now = members();
            if (!now.previous().isEmpty()) {
                append(new RaftEntry.Members(now.members(), List.of()), _ -> {});
            } else {
                followers
                        .values()
                        .removeIf(
                                follower ->
                                        !now.contains(follower.member.dataId())
                                                && (admitting == null
                                                        || !follower.member.equals(
                                                                admitting.added())));
                if (!now.contains(self.dataId())) {
                    follow(null);
                }
            }
        }
    }

    // ---- the log of a follower

    private void onAppend(Append message, Consumer<Appended> respond) {
        observe(message.term());
        if (message.term() < directory.term) {
            respond.accept(new Appended(directory.term, false, directory.lastIndex()));
            return;
        }
        follow(message.leader());
        heardNanos = time.now();
        awaitElection();
        int last = message.previous() + message.entries().size();
        SimulatedDirectory.StoredSnapshot snapshot = message.snapshot();
        if (snapshot != null) {
            if (snapshot.index() > committed) {
                directory.install(snapshot, message.entries());
                membersChanged();
                commit(snapshot.index());
                process.onInstalled(snapshot);
            }
        } else if (!fits(message)) {
            int known = Math.min(directory.lastIndex(), message.previous() - 1);
            respond.accept(new Appended(directory.term, false, known));
            return;
        } else {
            write(message);
            commit(Math.min(message.commit(), last));
        }
        if (message.entries().isEmpty()) {
            respond.accept(new Appended(directory.term, true, last));
            return;
        }
        later(
                network.diskNanos(),
                () -> {
                    if (directory.term == message.term()) {
                        directory.sync(last);
                        respond.accept(new Appended(directory.term, true, last));
                    }
                });
    }

    private boolean fits(Append message) {
        return message.previous() <= directory.lastIndex()
                && directory.termAt(message.previous()) == message.previousTerm();
    }

    private void write(Append message) {
        int index = message.previous();
        boolean changed = false;
        for (RaftEntry entry : message.entries()) {
            index++;
            if (index <= directory.lastIndex() && directory.termAt(index) != entry.term()) {
                directory.truncate(index - 1);
                changed = true;
            }
            if (index > directory.lastIndex()) {
                directory.append(entry);
                changed |= entry.content() instanceof RaftEntry.Members;
            }
        }
        if (changed) {
            membersChanged();
        }
    }
}
