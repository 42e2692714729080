package io.holdfast.cluster.simulation;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.ReplicaListener;
import io.holdfast.cluster.state.SessionIdEncoding;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.view.ResourceKindUsage;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Applies every entry when it is committed, with the true time at which it was appended, and checks
 * every grant by a model of its own: no waiter is granted out of turn, nor before the lease of the
 * previous holder is over, and no fence is used twice.
 */
final class CommittedGrantChecker implements ReplicaListener {
    private static final int COMPARE_ONE_IN = 40;

    /** A queued request. */
    private record Waiter(long session, long request) {}

    /** A grant to a session. */
    private static final class Grant {
        final Token token;
        final Waiter who;

        /** True time of the grant or the last renewal, and the lease from then. */
        long sinceNanos;

        long leaseNanos;

        Grant(Token token, Waiter who, long sinceNanos, long leaseNanos) {
            this.token = token;
            this.who = who;
            this.sinceNanos = sinceNanos;
            this.leaseNanos = leaseNanos;
        }
    }

    private final SimulatedCluster simulatedCluster;
    private final Replica replica =
            new Replica(
                    SimulatedCluster.RULES,
                    SimulatedNode.TRIAL,
                    MemoryBudgets.UNLIMITED,
                    _ -> null,
                    this);
    private final Map<Integer, byte[]> snapshots = new HashMap<>();

    /** The hash of the state after each entry that asks for it. */
    private final Map<Integer, Long> hashes = new HashMap<>();

    private final Set<Effect> effects = new HashSet<>();
    private final Map<Key, Long> lastFence = new HashMap<>();
    private final Map<Key, SequencedSet<Waiter>> queues = new HashMap<>();
    private final Map<Key, List<Grant>> grants = new LinkedHashMap<>();

    /** The tokens of the holds. */
    private final Set<Token> tokens = new HashSet<>();

    private final Set<Long> ended = new HashSet<>();
    private final Map<Long, Long> lastContact = new HashMap<>();
    private final List<Waiter> overtaken = new ArrayList<>();
    private final Map<Long, String> incarnations = new TreeMap<>();
    private final Map<Waiter, Command.Keyed> commands = new HashMap<>();
    private final Set<Waiter> timedOut = new HashSet<>();
    private final Set<Long> endingItems = new HashSet<>();
    private final Set<Long> endedIncarnations = new HashSet<>();
    private final List<RaftEntry> applied = new ArrayList<>();
    private long atNanos;

    /** Whether it repeats what was checked before. */
    private boolean repeating;

    CommittedGrantChecker(SimulatedCluster simulatedCluster) {
        this.simulatedCluster = simulatedCluster;
    }

    /**
     * Returns the checker of a new cluster that begins with the state of a backup. Changes that
     * came after the backup never happened, but no fence is used again.
     *
     * @param index the number of entries that the backup has
     */
    CommittedGrantChecker restored(int index, byte[] state) {
        CommittedGrantChecker next = new CommittedGrantChecker(simulatedCluster);
        next.repeating = true;
        for (int i = 1; i <= index; i++) {
            next.apply(i, applied.get(i - 1));
        }
        next.lastFence.putAll(lastFence);
        SimulatedCluster.read(next.replica, state);
        next.repeating = false;
        next.snapshots.clear();
        next.hashes.clear();
        next.snapshots.put(1, bytesOf(next.replica));
        return next;
    }

    static void check(boolean holds, String violation) {
        if (!holds) {
            throw new AssertionError(violation);
        }
    }

    /** Applies a committed entry. */
    void apply(int index, RaftEntry entry) {
        applied.add(entry);
        if (!(entry.content() instanceof RaftEntry.Proposal(var time, var logEntry, _))) {
            return;
        }
        atNanos = entry.atNanos();
        if (logEntry instanceof LogEntry.Batch batch) {
            for (BatchItem batchItem : batch.items()) {
                if (batchItem instanceof BatchItem.Submit(Command.Keyed command)
                        && !(command instanceof Command.Cancel)) {
                    commands.put(new Waiter(command.session(), command.request()), command);
                }
            }
        }
        replica.apply(entry.term(), time, logEntry);
        replica.events().clear();
        for (Waiter waiter : overtaken) {
            check(ended.contains(waiter.session()), waiter + " was passed over in the queue");
        }
        overtaken.clear();
        if (logEntry.checksState()) {
            hashes.put(index, replica.hash());
        }
        if (simulatedCluster.time.chance(1.0 / COMPARE_ONE_IN)) {
            byte[] bytes = bytesOf(replica);
            snapshots.put(index, bytes);
            check(
                    SilentReplica.of(bytes).hash() == replica.hash(),
                    "the hash is not that of the state");
        }
    }

    /** Notes that a request was refused as unavailable, so that its effects are undone. */
    void onTimeout(long session, long request) {
        timedOut.add(new Waiter(session, request));
    }

    // ---- equality of replicas

    /** Returns the version of the cluster and the state in the form of that version. */
    static byte[] bytesOf(Replica replica) {
        return SimulatedCluster.written(
                out -> {
                    out.writeInt(replica.version());
                    replica.write(out);
                });
    }

    /** Returns the version of the cluster. */
    int version() {
        return replica.version();
    }

    /**
     * Compares a node that has applied entries up to an index, if there is a snapshot of that
     * index.
     */
    void compare(int index, SimulatedNode node) {
        byte[] snapshot = snapshots.get(index);
        if (snapshot != null) {
            check(
                    Arrays.equals(snapshot, SimulatedCluster.bytes(node.driver())),
                    node.name + " has another state after entry " + index);
        }
    }

    /** Compares the hash of a node that has applied an entry that asks for it. */
    void compareHash(int index, SimulatedNode node) {
        Long hash = hashes.get(index);
        check(
                hash != null && node.driver().withState(Replica::hash).equals(hash),
                node.name + " has another hash after entry " + index);
    }

    /** Whether the hashes of any states were compared. */
    boolean hasHashes() {
        return !hashes.isEmpty();
    }

    void compareNow(SimulatedNode node) {
        check(
                Arrays.equals(bytesOf(replica), SimulatedCluster.bytes(node.driver())),
                node.name + " has another state in the end");
    }

    /** Whether no session has anything. */
    boolean isEmpty() {
        for (ResourceKind resourceKind : ResourceKind.values()) {
            if (!replica.engine()
                    .views()
                    .countUse(resourceKind)
                    .equals(new ResourceKindUsage(0, 0, 0))) {
                return false;
            }
        }
        for (SimulatedClient client : simulatedCluster.clients()) {
            for (long session : client.sessions()) {
                if (replica.sessionInfo(session) != null || replica.engine().hasSession(session)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether the replica has produced an effect. */
    boolean hasProduced(Effect effect) {
        return effects.contains(effect);
    }

    /** True time of the last batch of an incarnation; {@link Long#MIN_VALUE} if there was none. */
    long lastContact(long incarnation) {
        return lastContact.getOrDefault(incarnation, Long.MIN_VALUE);
    }

    // ---- notifications of the replica

    @Override
    public void onEffect(Effect effect) {
        effects.add(effect);
        Waiter who = new Waiter(effect.session(), effect.request());
        Command.Keyed command = commands.get(who);
        if (command == null) {
            return;
        }
        switch (effect) {
            case Effect.Granted granted -> granted(who, granted);
            case Effect.Released _ -> {
                if (command instanceof Command.Release release) {
                    check(tokens.remove(release.token()), "a token worked twice: " + release);
                    grantsOf(release.key()).removeIf(g -> g.token.equals(release.token()));
                }
            }
            case Effect.Renewed _ -> {
                if (command instanceof Command.Renew renew) {
                    renewed(renew);
                }
            }
            case Effect.TimedOut _, Effect.Cancelled _ -> {
                queueOf(command.key()).remove(who);
                grantsOf(command.key()).removeIf(grant -> grant.who.equals(who));
            }
            default -> {}
        }
    }

    private void renewed(Command.Renew renew) {
        for (Grant grant : grantsOf(renew.key())) {
            if (grant.token.equals(renew.token())) {
                grant.sinceNanos = atNanos;
                grant.leaseNanos = renew.leaseNanos();
            }
        }
    }

    private void granted(Waiter who, Effect.Granted granted) {
        Key key = granted.key();
        long fence = granted.token().fence();
        if (isTwoPhase(key) && tokens.contains(granted.token())) {
            return; // granted at once and then awaited: the same grant is reported again
        }
        check(
                fence > lastFence.getOrDefault(key, 0L),
                "fences of " + key + " do not grow: " + granted);
        lastFence.put(key, fence);
        tokens.add(granted.token());
        if (isTwoPhase(key)) {
            return; // some of its grants are never delivered
        }
        for (Waiter waiter : queueOf(key)) {
            if (waiter.equals(who)) {
                break;
            }
            overtaken.add(waiter);
        }
        queueOf(key).remove(who);
        List<Grant> now = grantsOf(key);
        now.removeIf(this::isOver);
        check(
                now.size() < SimulatedClient.limit(key),
                "%s is granted to %s while other sessions hold it"
                        .formatted(key, Long.toHexString(who.session())));
        now.add(new Grant(granted.token(), who, atNanos, granted.leaseNanos()));
    }

    private boolean isOver(Grant grant) {
        return ended.contains(grant.who.session())
                || endingNow(grant.who.session())
                || (grant.leaseNanos != Command.FOREVER
                        && atNanos - grant.sinceNanos
                                >= SimulationHistory.minTrueNanos(grant.leaseNanos));
    }

    /**
     * Whether a session is ending: the end is reported only after other sessions were granted what
     * it held.
     */
    private boolean endingNow(long session) {
        return endingItems.contains(session)
                || endedIncarnations.contains(SessionIdEncoding.incarnation(session));
    }

    private static boolean isTwoPhase(Key key) {
        return key.equals(SimulatedClient.TWO_PHASE);
    }

    private SequencedSet<Waiter> queueOf(Key key) {
        return queues.computeIfAbsent(key, _ -> new LinkedHashSet<>());
    }

    private List<Grant> grantsOf(Key key) {
        return grants.computeIfAbsent(key, _ -> new ArrayList<>());
    }

    @Override
    public void onItemApplied(BatchItem batchItem, @Nullable Effect result) {
        check(
                !endingItems.contains(batchItem.session()),
                "after the end of its session: " + batchItem);
        switch (batchItem) {
            case BatchItem.Submit(Command.Acquire acquire) -> {
                if (result == null) {
                    queueOf(acquire.key()).add(new Waiter(acquire.session(), acquire.request()));
                }
            }
            case BatchItem.EndSession endSession -> {
                for (Map.Entry<Key, List<Grant>> of : grants.entrySet()) {
                    for (Grant grant : of.getValue()) {
                        check(
                                grant.who.session() != endSession.session()
                                        || isOver(grant)
                                        || !timedOut.contains(grant.who),
                                "%s holds %s, whose request has timed out"
                                        .formatted(grant.who, of.getKey()));
                    }
                }
                endingItems.add(endSession.session());
            }
            default -> {}
        }
    }

    @Override
    public void onBatchStart(long incarnation, long sequence) {}

    @Override
    public void onBatchApplied(long incarnation, long sequence) {
        lastContact.put(incarnation, atNanos);
    }

    @Override
    public void onIncarnationBegun(String node, UUID nonce, long incarnation) {
        incarnations.put(incarnation, node);
    }

    @Override
    public void onSessionEnded(long session) {
        ended.add(session);
        queues.values().forEach(queue -> queue.removeIf(waiter -> waiter.session() == session));
    }

    @Override
    public void onIncarnationEnded(long incarnation) {
        endedIncarnations.add(incarnation);
        if (!repeating) {
            simulatedCluster.history.incarnationEnded(incarnation, atNanos);
        }
    }

    @Override
    public void onStateReplaced() {
        check(repeating, "the state of the checker was replaced");
    }
}
