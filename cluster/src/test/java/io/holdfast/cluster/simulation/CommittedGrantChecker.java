package io.holdfast.cluster.simulation;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.ReplicaListener;
import io.holdfast.cluster.state.SessionIdEncoding;
import io.holdfast.driver.MemoryBudgets;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.ResourceKindUsage;
import io.holdfast.engine.Token;

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
 * Sees every entry the moment it is committed, with the true time at which it was appended, and
 * knows by itself who may be granted what: nobody out of turn, nobody before the lease of the last
 * one is over, and no fence twice.
 */
final class CommittedGrantChecker implements ReplicaListener {
    private static final int COMPARE_ONE_IN = 40;

    /** Somebody in line. */
    private record Waiter(long session, long request) {}

    /** What somebody has been granted. */
    private static final class Grant {
        final Token token;
        final Waiter who;

        /** True time of the grant or the last renewal, and how long it is good for from then. */
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
            new Replica(SimulatedCluster.RULES, MemoryBudgets.UNLIMITED, this);
    private final Map<Integer, byte[]> copies = new HashMap<>();
    private final Set<Effect> told = new HashSet<>();
    private final Map<Key, Long> lastFence = new HashMap<>();
    private final Map<Key, SequencedSet<Waiter>> lines = new HashMap<>();
    private final Map<Key, List<Grant>> grants = new LinkedHashMap<>();

    /** With which something may be released. */
    private final Set<Token> tokens = new HashSet<>();

    private final Set<Long> ended = new HashSet<>();
    private final Map<Long, Long> lastHeard = new HashMap<>();
    private final List<Waiter> overtaken = new ArrayList<>();
    private final Map<Long, String> stints = new TreeMap<>();
    private final Map<Waiter, Command.Keyed> commands = new HashMap<>();
    private final Set<Waiter> givenUp = new HashSet<>();
    private final Set<Long> endingItems = new HashSet<>();
    private final Set<Long> endedStints = new HashSet<>();
    private long atNanos;

    CommittedGrantChecker(SimulatedCluster simulatedCluster) {
        this.simulatedCluster = simulatedCluster;
    }

    static void check(boolean holds, String promise) {
        if (!holds) {
            throw new AssertionError(promise);
        }
    }

    /** An entry was committed. */
    void apply(int index, SimulatedRaft.Appended entry) {
        atNanos = entry.atNanos();
        if (entry.entry() instanceof LogEntry.Batch batch) {
            for (BatchItem batchItem : batch.items()) {
                if (batchItem instanceof BatchItem.Submit(Command.Keyed command)
                        && !(command instanceof Command.Cancel)) {
                    commands.put(new Waiter(command.session(), command.request()), command);
                }
            }
        }
        replica.apply(entry.term(), entry.stampNanos(), entry.entry());
        replica.events().clear();
        for (Waiter waiter : overtaken) {
            check(ended.contains(waiter.session()), waiter + " was passed over in line");
        }
        overtaken.clear();
        if (simulatedCluster.time.chance(1.0 / COMPARE_ONE_IN)) {
            copies.put(index, bytesOf(replica));
        }
    }

    /** A client was told that nobody could decide: what follows of it is taken back. */
    void gaveUp(long session, long request) {
        givenUp.add(new Waiter(session, request));
    }

    // ---- equal copies

    static byte[] bytesOf(Replica replica) {
        return SimulatedCluster.written(replica::write);
    }

    /** A node has applied so many entries. */
    void compare(int index, SimulatedNode node) {
        byte[] copy = copies.get(index);
        if (copy != null) {
            check(
                    Arrays.equals(copy, simulatedCluster.bytes(node.driver())),
                    node.name + " has another state after entry " + index);
        }
    }

    void compareNow(SimulatedNode node) {
        check(
                Arrays.equals(bytesOf(replica), simulatedCluster.bytes(node.driver())),
                node.name + " has another state in the end");
    }

    /** Whether nobody has anything. */
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

    /** Whether the state has said so. */
    boolean hasTold(Effect effect) {
        return told.contains(effect);
    }

    /** True time of the last sign of life of a stint; before everything if there was none. */
    long lastHeard(long stint) {
        return lastHeard.getOrDefault(stint, Long.MIN_VALUE);
    }

    // ---- what the state says

    @Override
    public void onEffect(Effect effect) {
        told.add(effect);
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
                lineOf(command.key()).remove(who);
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
            return; // granted at once and awaited then: the same is told again
        }
        check(
                fence > lastFence.getOrDefault(key, 0L),
                "fences of " + key + " do not grow: " + granted);
        lastFence.put(key, fence);
        tokens.add(granted.token());
        if (isTwoPhase(key)) {
            return; // some of its grants are told to nobody
        }
        for (Waiter waiter : lineOf(key)) {
            if (waiter.equals(who)) {
                break;
            }
            overtaken.add(waiter);
        }
        lineOf(key).remove(who);
        List<Grant> now = grantsOf(key);
        now.removeIf(this::isOver);
        check(
                now.size() < SimulatedClient.limit(key),
                "%s is granted to %s while others have it"
                        .formatted(key, Long.toHexString(who.session())));
        now.add(new Grant(granted.token(), who, atNanos, granted.leaseNanos()));
    }

    private boolean isOver(Grant grant) {
        return ended.contains(grant.who.session())
                || endingNow(grant.who.session())
                || (grant.leaseNanos != Command.FOREVER
                        && atNanos - grant.sinceNanos
                                >= SimulationHistory.leastTrue(grant.leaseNanos));
    }

    /** Its end is told only after others were granted what it had. */
    private boolean endingNow(long session) {
        return endingItems.contains(session)
                || endedStints.contains(SessionIdEncoding.incarnation(session));
    }

    private static boolean isTwoPhase(Key key) {
        return key.equals(SimulatedClient.TWO_PHASE);
    }

    private SequencedSet<Waiter> lineOf(Key key) {
        return lines.computeIfAbsent(key, _ -> new LinkedHashSet<>());
    }

    private List<Grant> grantsOf(Key key) {
        return grants.computeIfAbsent(key, _ -> new ArrayList<>());
    }

    @Override
    public void onItemApplied(BatchItem batchItem, @Nullable Effect answer) {
        check(
                !endingItems.contains(batchItem.session()),
                "after the end of its session: " + batchItem);
        switch (batchItem) {
            case BatchItem.Submit(Command.Acquire acquire) -> {
                if (answer == null) {
                    lineOf(acquire.key()).add(new Waiter(acquire.session(), acquire.request()));
                }
            }
            case BatchItem.EndSession endSession -> {
                for (Map.Entry<Key, List<Grant>> of : grants.entrySet()) {
                    for (Grant grant : of.getValue()) {
                        check(
                                grant.who.session() != endSession.session()
                                        || isOver(grant)
                                        || !givenUp.contains(grant.who),
                                "%s has %s, which was given up".formatted(grant.who, of.getKey()));
                    }
                }
                endingItems.add(endSession.session());
            }
            default -> {}
        }
    }

    @Override
    public void onBatchStart(long stint, long sequence) {}

    @Override
    public void onBatchApplied(long stint, long sequence) {
        lastHeard.put(stint, atNanos);
    }

    @Override
    public void onIncarnationBegun(String node, UUID nonce, long stint) {
        stints.put(stint, node);
    }

    @Override
    public void onIncarnationRejected(String node, UUID nonce, String reason) {
        throw new AssertionError(node + " was turned away: " + reason);
    }

    @Override
    public void onSessionEnded(long session) {
        ended.add(session);
        lines.values().forEach(line -> line.removeIf(waiter -> waiter.session() == session));
    }

    @Override
    public void onIncarnationEnded(long stint) {
        endedStints.add(stint);
        simulatedCluster.history.stintEnded(stint, atNanos);
    }

    @Override
    public void onStateReplaced() {
        throw new AssertionError();
    }
}
