package io.holdfast.cluster.simulation;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.state.SessionIdEncoding;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
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
import java.util.stream.Stream;

/** Records what clients observed and when, in true time, and checks that it is consistent. */
final class SimulationHistory {
    /** The time for which a client is guaranteed a hold. */
    static final class HoldInterval {
        final Key key;
        final Token token;
        final SimulatedClient client;

        /** The previous owner of a hold that was taken over. */
        final @Nullable SimulatedClient previousOwner;

        final long requestedNanos;
        final long fromNanos;
        long toNanos;

        /** Whether another client has tried to take it over. */
        boolean takeoverTried;

        HoldInterval(
                Key key,
                Token token,
                SimulatedClient client,
                @Nullable SimulatedClient previousOwner,
                long requestedNanos,
                long fromNanos,
                long toNanos) {
            this.key = key;
            this.token = token;
            this.client = client;
            this.previousOwner = previousOwner;
            this.requestedNanos = requestedNanos;
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
                            previousOwner == null
                                    ? ""
                                    : ", taken over from client " + previousOwner.number);
        }
    }

    /** A change of data that was requested. */
    static final class Change {
        final String what;
        final long requestedNanos;

        /** When it was confirmed; {@link Long#MAX_VALUE} if it never was. */
        long doneNanos = Long.MAX_VALUE;

        /** When it had happened, if ever; {@link Long#MAX_VALUE} if it may still. */
        long latestNanos = Long.MAX_VALUE;

        Change(String what, long requestedNanos) {
            this.what = what;
            this.requestedNanos = requestedNanos;
        }

        void done(long nanos) {
            doneNanos = nanos;
            latestNanos = nanos;
        }

        boolean isDone() {
            return doneNanos != Long.MAX_VALUE;
        }

        /** The cluster is restored, without what came after some time. */
        private void restored(long lostSinceNanos, long nowNanos) {
            latestNanos = Math.min(latestNanos, nowNanos);
            if (doneNanos >= lostSinceNanos) {
                doneNanos = Long.MAX_VALUE;
            }
        }
    }

    final List<Change> increments = new ArrayList<>();
    final List<Change> pushes = new ArrayList<>();
    final Map<String, Change> sets = new HashMap<>();

    /** The values of the counter, and when they were returned. */
    private final Map<Long, Long> counted = new HashMap<>();

    private final List<HoldInterval> intervals = new ArrayList<>();
    private final SimulatedCluster simulatedCluster;

    SimulationHistory(SimulatedCluster simulatedCluster) {
        this.simulatedCluster = simulatedCluster;
    }

    /** Returns the shortest true time of a duration on any clock. */
    static long minTrueNanos(long nanos) {
        return nanos == Command.FOREVER ? nanos : (long) (nanos / (1 + SimulatedCluster.DRIFT));
    }

    /** Returns the guaranteed end of a lease that was requested at a time. */
    static long endOf(long requestedNanos, long leaseNanos) {
        return leaseNanos == Command.FOREVER
                ? leaseNanos
                : requestedNanos + minTrueNanos(leaseNanos);
    }

    void add(HoldInterval holdInterval) {
        intervals.add(holdInterval);
    }

    List<HoldInterval> intervals() {
        return intervals;
    }

    void counted(long value) {
        CommittedGrantChecker.check(
                counted.put(value, simulatedCluster.time.now()) == null,
                "the counter was " + value + " twice");
    }

    /**
     * Notes that the cluster is restored from a backup: what was confirmed before the first change
     * after it is certain, and the rest may be lost.
     */
    void restored(long lostSinceNanos) {
        long now = simulatedCluster.time.now();
        increments.forEach(change -> change.restored(lostSinceNanos, now));
        pushes.forEach(change -> change.restored(lostSinceNanos, now));
        sets.values().forEach(change -> change.restored(lostSinceNanos, now));
        counted.values().removeIf(nanos -> nanos >= lostSinceNanos);
    }

    /** Returns the confirmed values that an entry has set or pushed. */
    List<String> confirmedBy(RaftEntry entry) {
        Stream<Change> changes =
                switch (entry.content()) {
                    case RaftEntry.Proposal(_, LogEntry.Batch batch, _) ->
                            batch.items().stream().flatMap(this::changes);
                    case RaftEntry.Restored _ ->
                            Stream.concat(sets.values().stream(), pushes.stream());
                    default -> Stream.empty();
                };
        return changes.filter(Change::isDone).map(change -> change.what).sorted().toList();
    }

    private Stream<Change> changes(BatchItem item) {
        if (!(item instanceof BatchItem.Submit(Command.Data data))) {
            return Stream.empty();
        }
        return switch (data.operation()) {
            case DataOperation.SetValue(var value, _) ->
                    Stream.ofNullable(sets.get(SimulatedClient.text(value)));
            case DataOperation.Push(_, var pushed) ->
                    pushes.stream().filter(push -> push.what.equals(SimulatedClient.text(pushed)));
            default -> Stream.empty();
        };
    }

    /** Checks that no client of an ended incarnation is still connected. */
    void incarnationEnded(long incarnation, long atNanos) {
        long contactNanos = simulatedCluster.checker().lastContact(incarnation);
        for (SimulatedClient client : simulatedCluster.clients()) {
            if (client.session != 0
                    && SessionIdEncoding.incarnation(client.session) == incarnation
                    && client.goneNanos() > atNanos
                    && client.node.longPauses.stream()
                            .noneMatch(
                                    p -> p.toNanos() >= contactNanos && p.fromNanos() <= atNanos)) {
                throw new AssertionError(
                        "client %d of %s was still connected when its incarnation ended at %,d"
                                .formatted(client.number, client.node.name, atNanos));
            }
        }
    }

    // ---- checks after the run

    void check() {
        intervals.removeIf(holdInterval -> !isCertain(holdInterval));
        Map<Key, List<HoldInterval>> byKey = new HashMap<>();
        for (HoldInterval holdInterval : intervals) {
            byKey.computeIfAbsent(holdInterval.key, _ -> new ArrayList<>()).add(holdInterval);
        }
        byKey.forEach(SimulationHistory::checkExclusion);
    }

    /**
     * Whether an interval is certain: a takeover by renewal is a hold only if the previous owner's
     * node had no contact afterwards.
     */
    private boolean isCertain(HoldInterval holdInterval) {
        SimulatedClient before = holdInterval.previousOwner;
        return holdInterval.toNanos > holdInterval.fromNanos
                && (before == null
                        || holdInterval.requestedNanos
                                > simulatedCluster
                                        .checker()
                                        .lastContact(
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
                    now.size() <= SimulatedClient.limit(key), "too many holders at once: " + now);
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
                found.size() == items.size(), "a value was pushed twice: " + items);
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
        CommittedGrantChecker.check(last != null, "no client has set " + value);
        for (Change other : sets.values()) {
            CommittedGrantChecker.check(
                    last == null || !other.isDone() || other.requestedNanos <= last.latestNanos,
                    "%s was set after %s and is lost".formatted(other.what, value));
        }
    }
}
