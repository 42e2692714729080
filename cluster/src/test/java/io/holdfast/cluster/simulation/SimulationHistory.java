package io.holdfast.cluster.simulation;

import io.holdfast.cluster.state.SessionIdEncoding;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What clients were told and when, in true time, and whether all of it can be true together. */
final class SimulationHistory {
    /** A time in which a client may count on having something. */
    static final class HoldInterval {
        final Key key;
        final Token token;
        final SimulatedClient client;

        /** Whose hold it was, for one that was taken over. */
        final @Nullable SimulatedClient heirOf;

        final long askedNanos;
        final long fromNanos;
        long toNanos;

        /** Whether another has tried to take it over. */
        boolean isWanted;

        HoldInterval(
                Key key,
                Token token,
                SimulatedClient client,
                @Nullable SimulatedClient heirOf,
                long askedNanos,
                long fromNanos,
                long toNanos) {
            this.key = key;
            this.token = token;
            this.client = client;
            this.heirOf = heirOf;
            this.askedNanos = askedNanos;
            this.fromNanos = fromNanos;
            this.toNanos = toNanos;
        }

        void end(long nanos) {
            toNanos = Math.min(toNanos, nanos);
        }

        @Override
        public String toString() {
            return "%s fence %d by client %d of %s from %,d to %,d%s"
                    .formatted(
                            key,
                            token.fence(),
                            client.number,
                            client.node.name,
                            fromNanos,
                            toNanos,
                            heirOf == null ? "" : ", taken over from client " + heirOf.number);
        }
    }

    /** A change of data that was asked for. */
    static final class Change {
        final String what;
        final long askedNanos;

        /** When it was confirmed; {@link Long#MAX_VALUE} if it never was. */
        long doneNanos = Long.MAX_VALUE;

        Change(String what, long askedNanos) {
            this.what = what;
            this.askedNanos = askedNanos;
        }

        boolean isDone() {
            return doneNanos != Long.MAX_VALUE;
        }
    }

    final List<Change> increments = new ArrayList<>();
    final List<Change> pushes = new ArrayList<>();
    final Map<String, Change> sets = new HashMap<>();
    private final Set<Long> counted = new HashSet<>();
    private final List<HoldInterval> possessions = new ArrayList<>();
    private final SimulatedCluster simulatedCluster;

    SimulationHistory(SimulatedCluster simulatedCluster) {
        this.simulatedCluster = simulatedCluster;
    }

    /** The shortest true time that a span on some clock can be. */
    static long leastTrue(long nanos) {
        return nanos == Command.FOREVER ? nanos : (long) (nanos / (1 + SimulatedCluster.DRIFT));
    }

    /** The end of a lease that was asked for then, as far as one can be sure. */
    static long endOf(long askedNanos, long leaseNanos) {
        return leaseNanos == Command.FOREVER ? leaseNanos : askedNanos + leastTrue(leaseNanos);
    }

    void add(HoldInterval holdInterval) {
        possessions.add(holdInterval);
    }

    List<HoldInterval> possessions() {
        return possessions;
    }

    void counted(long value) {
        CommittedGrantChecker.check(counted.add(value), "the counter was " + value + " twice");
    }

    /** No client may be there that still counts on its session. */
    void stintEnded(long stint, long atNanos) {
        long heardNanos = simulatedCluster.witness.lastHeard(stint);
        for (SimulatedClient client : simulatedCluster.clients()) {
            if (client.session != 0
                    && SessionIdEncoding.incarnation(client.session) == stint
                    && client.goneNanos() > atNanos
                    && client.node.longPauses.stream()
                            .noneMatch(
                                    p -> p.toNanos() >= heardNanos && p.fromNanos() <= atNanos)) {
                throw new AssertionError(
                        "client %d of %s was still there when its stint ended at %,d"
                                .formatted(client.number, client.node.name, atNanos));
            }
        }
    }

    // ---- afterwards

    void check() {
        possessions.removeIf(holdInterval -> !isCertain(holdInterval));
        Map<Key, List<HoldInterval>> byKey = new HashMap<>();
        for (HoldInterval holdInterval : possessions) {
            byKey.computeIfAbsent(holdInterval.key, _ -> new ArrayList<>()).add(holdInterval);
        }
        byKey.forEach(SimulationHistory::checkExclusion);
    }

    /** Who renews what another has lost owns it only if that one was not heard of any more. */
    private boolean isCertain(HoldInterval holdInterval) {
        SimulatedClient before = holdInterval.heirOf;
        return holdInterval.toNanos > holdInterval.fromNanos
                && (before == null
                        || holdInterval.askedNanos
                                > simulatedCluster.witness.lastHeard(
                                        SessionIdEncoding.incarnation(before.session)));
    }

    private static void checkExclusion(Key key, List<HoldInterval> all) {
        all.sort(Comparator.comparingLong(holdInterval -> holdInterval.fromNanos));
        List<HoldInterval> now = new ArrayList<>();
        for (HoldInterval next : all) {
            now.removeIf(
                    other -> other.toNanos <= next.fromNanos || other.token.equals(next.token));
            now.add(next);
            CommittedGrantChecker.check(
                    now.size() <= SimulatedClient.limit(key), "too many have it at once: " + now);
        }
    }

    void checkCounter(long value) {
        long done = increments.stream().filter(Change::isDone).count();
        CommittedGrantChecker.check(
                value >= done && value <= increments.size(),
                "the counter is %d after %d of %d increments were confirmed"
                        .formatted(value, done, increments.size()));
    }

    void checkList(List<String> items) {
        Set<String> found = new HashSet<>(items);
        CommittedGrantChecker.check(
                found.size() == items.size(), "something was pushed twice: " + items);
        for (Change push : pushes) {
            CommittedGrantChecker.check(
                    !push.isDone() || found.contains(push.what), "a push was lost: " + push.what);
        }
    }

    void checkValue(@Nullable String value) {
        Change last = value == null ? null : sets.get(value);
        if (value == null) {
            CommittedGrantChecker.check(
                    sets.values().stream().noneMatch(Change::isDone), "the value is lost");
            return;
        }
        CommittedGrantChecker.check(last != null, "nobody has set " + value);
        for (Change other : sets.values()) {
            CommittedGrantChecker.check(
                    last == null || !other.isDone() || other.askedNanos <= last.doneNanos,
                    "%s was set after %s and is lost".formatted(other.what, value));
        }
    }
}
