package io.holdfast.cluster.check;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.Member;
import io.holdfast.engine.hash.StateHash;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Compares the hashes of the states of all members after the same entries of the log. A member
 * whose hash differs from that of a majority has diverged; if hashes differ and no majority agrees,
 * all have. A hash that is missing is no difference, and so is one of another version.
 *
 * <p>Thread-safe; no method waits for anything. The owner calls {@link #tick} periodically, which
 * sends, decides and notifies, without the lock of this.
 */
public final class StateChecks {
    private static final Logger LOG = LoggerFactory.getLogger(StateChecks.class);

    /** The number of entries whose hashes are kept, for members that are behind. */
    private static final int MAX_CHECKS = 16;

    private static final long ASK_AGAIN_NANOS = 1_000_000_000L;

    /** For how long missing hashes are asked for. */
    private static final long ASK_NANOS = 60_000_000_000L;

    /** For how long a majority is awaited when hashes differ and others are missing. */
    private static final long DECIDE_NANOS = 3_000_000_000L;

    /** For how long a request awaits the hashes of all members. */
    private static final long REQUEST_NANOS = 5_000_000_000L;

    /** What the checks need from their owner. */
    public interface Environment {
        /** Returns the members of the cluster as this node knows them. */
        List<Member> members();

        void send(Member to, StateHashMessage message);

        /** The state of this node has diverged: it must not be used any more. Called once. */
        void onDiverged(Divergence divergence);
    }

    /** The hashes after one entry. */
    private static final class Check {
        final Map<UUID, Long> hashes = new HashMap<>();

        /** The members that want the hash of this node. */
        final Set<UUID> asking = new HashSet<>();

        /** When the entry was applied here. */
        long sinceNanos;

        /** When hashes were first seen to differ. */
        @Nullable Long differentNanos;

        @Nullable Long sentNanos;
        boolean decided;
    }

    private record Request(
            long afterIndex, long endNanos, CompletableFuture<StateCheckReport> response) {}

    private record Message(Member to, StateHashMessage message) {}

    private final UUID self;
    private final Environment environment;

    @GuardedBy("this")
    private final NavigableMap<Long, Check> checks = new TreeMap<>();

    @GuardedBy("this")
    private final List<Request> requests = new ArrayList<>();

    /** The data ids of the members that were found to have diverged. */
    @GuardedBy("this")
    private final Set<UUID> diverged = new HashSet<>();

    @GuardedBy("this")
    private long lastApplied = -1;

    private volatile long applied;
    private volatile @Nullable Divergence divergence;

    /**
     * @param self the data id of this node
     */
    public StateChecks(UUID self, Environment environment) {
        this.self = self;
        this.environment = environment;
    }

    /** Returns the number of entries after which the state of this node was hashed. */
    public long applied() {
        return applied;
    }

    /** Records the hash of the state of this node after an entry. */
    public synchronized void add(long index, long hash, long nowNanos) {
        Check check = check(index);
        check.hashes.put(self, hash);
        check.sinceNanos = nowNanos;
        lastApplied = Math.max(lastApplied, index);
        applied++;
    }

    /** Records the hash of another member. */
    public synchronized void receive(UUID from, StateHashMessage message) {
        if (message.version() != StateHash.VERSION || from.equals(self)) {
            return;
        }
        Check check = check(message.index());
        check.hashes.put(from, message.hash());
        if (message.wanted()) {
            check.asking.add(from);
        }
    }

    @GuardedBy("this")
    private Check check(long index) {
        Check check = checks.computeIfAbsent(index, _ -> new Check());
        while (checks.size() > MAX_CHECKS) {
            checks.pollFirstEntry();
        }
        return check;
    }

    /**
     * Awaits the next entry after which the state is hashed, and the hashes of the other members
     * for some seconds.
     */
    public synchronized CompletableFuture<StateCheckReport> request(long nowNanos) {
        CompletableFuture<StateCheckReport> response = new CompletableFuture<>();
        requests.add(new Request(lastApplied, nowNanos + REQUEST_NANOS, response));
        return response;
    }

    /** Sends hashes, and decides what they mean. */
    public void tick(long nowNanos) {
        List<Member> members = environment.members();
        boolean isMember = ids(members).contains(self);
        List<Message> messages = new ArrayList<>();
        Divergence found = null;
        List<Runnable> responses = new ArrayList<>();
        synchronized (this) {
            if (!isMember) {
                checks.clear(); // with none, requests fail in time
            }
            for (Map.Entry<Long, Check> entry : checks.entrySet()) {
                addMessages(entry.getKey(), entry.getValue(), members, nowNanos, messages);
                Divergence own = decide(entry.getKey(), entry.getValue(), members, nowNanos);
                found = found == null ? own : found;
            }
            if (divergence == null) {
                divergence = found;
            } else {
                found = null;
            }
            for (Request request : List.copyOf(requests)) {
                if (respond(request, members, nowNanos, responses)) {
                    requests.remove(request);
                }
            }
        }
        messages.forEach(message -> environment.send(message.to(), message.message()));
        responses.forEach(Runnable::run);
        if (found != null) {
            environment.onDiverged(found);
        }
    }

    @GuardedBy("this")
    private void addMessages(
            long index, Check check, List<Member> members, long nowNanos, List<Message> to) {
        Long hash = check.hashes.get(self);
        if (hash == null) {
            return;
        }
        Long sent = check.sentNanos;
        boolean ask =
                sent == null
                        || (nowNanos - sent >= ASK_AGAIN_NANOS
                                && nowNanos - check.sinceNanos < ASK_NANOS);
        if (ask) {
            check.sentNanos = nowNanos;
        }
        for (Member member : members) {
            boolean wanted = !check.hashes.containsKey(member.dataId());
            if (!member.dataId().equals(self)
                    && ((ask && (wanted || sent == null))
                            || check.asking.contains(member.dataId()))) {
                to.add(
                        new Message(
                                member,
                                new StateHashMessage(index, StateHash.VERSION, hash, wanted)));
            }
        }
        check.asking.clear();
    }

    /** Returns the divergence of this node, if there is one. */
    @GuardedBy("this")
    private @Nullable Divergence decide(
            long index, Check check, List<Member> members, long nowNanos) {
        Long hash = check.hashes.get(self);
        if (check.decided || hash == null) {
            return null;
        }
        Map<Long, Integer> counts = new HashMap<>();
        int known = 0;
        for (Member member : members) {
            Long each = check.hashes.get(member.dataId());
            if (each != null) {
                known++;
                counts.merge(each, 1, Integer::sum);
            }
        }
        boolean complete = known == members.size();
        if (counts.size() == 1) {
            check.decided = complete;
            return null;
        }
        if (check.differentNanos == null) {
            check.differentNanos = nowNanos;
        }
        Long majority = majority(counts, members.size());
        if (majority == null && !complete && nowNanos - check.differentNanos < DECIDE_NANOS) {
            return null;
        }
        check.decided = complete;
        String hashes = text(check, members);
        for (Member member : members) {
            Long each = check.hashes.get(member.dataId());
            if (each != null && !each.equals(majority) && diverged.add(member.dataId())) {
                LOG.atError()
                        .addKeyValue("node", member.name())
                        .addKeyValue("index", index)
                        .addKeyValue("hashes", hashes)
                        .log("the state of a node has diverged from that of others");
            }
        }
        return hash.equals(majority) ? null : new Divergence(index, hash, majority, hashes);
    }

    private static @Nullable Long majority(Map<Long, Integer> counts, int members) {
        for (Map.Entry<Long, Integer> entry : counts.entrySet()) {
            if (entry.getValue() > members / 2) {
                return entry.getKey();
            }
        }
        return null;
    }

    private static String text(Check check, List<Member> members) {
        List<String> all = new ArrayList<>();
        for (Member member : members) {
            Long hash = check.hashes.get(member.dataId());
            all.add(member.name() + " " + (hash == null ? "none" : StateCheckReport.text(hash)));
        }
        return String.join(", ", all);
    }

    /** Returns whether a request is over. */
    @GuardedBy("this")
    private boolean respond(
            Request request, List<Member> members, long nowNanos, List<Runnable> responses) {
        Map.Entry<Long, Check> next = checks.higherEntry(request.afterIndex());
        while (next != null && !next.getValue().hashes.containsKey(self)) {
            next = checks.higherEntry(next.getKey()); // not applied here yet
        }
        boolean isOver = divergence != null || nowNanos - request.endNanos() >= 0;
        if (next == null) {
            if (isOver) {
                responses.add(
                        () ->
                                request.response()
                                        .completeExceptionally(
                                                new IOException(
                                                        "no check was committed in time: there may"
                                                                + " be no leader or no majority")));
            }
            return isOver;
        }
        Check check = next.getValue();
        if (!isOver && !check.hashes.keySet().containsAll(ids(members))) {
            return false;
        }
        StateCheckReport report = report(next.getKey(), check, members);
        responses.add(() -> request.response().complete(report));
        return true;
    }

    private static List<UUID> ids(List<Member> members) {
        return members.stream().map(Member::dataId).toList();
    }

    @GuardedBy("this")
    private StateCheckReport report(long index, Check check, List<Member> members) {
        List<StateCheckReport.Node> nodes = new ArrayList<>();
        for (Member member : members) {
            nodes.add(
                    new StateCheckReport.Node(
                            member.name(),
                            check.hashes.get(member.dataId()),
                            diverged.contains(member.dataId())));
        }
        return new StateCheckReport(index, nodes);
    }
}
