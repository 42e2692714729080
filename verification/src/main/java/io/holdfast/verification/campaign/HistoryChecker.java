package io.holdfast.verification.campaign;

import io.holdfast.verification.campaign.OperationHistory.Added;
import io.holdfast.verification.campaign.OperationHistory.Lost;
import io.holdfast.verification.campaign.OperationHistory.Read;
import io.holdfast.verification.campaign.OperationHistory.Suspended;
import io.holdfast.verification.campaign.OperationHistory.TimedOut;
import io.holdfast.verification.campaign.OperationHistory.Written;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Finds violations in a history. Every rule holds for a correct cluster whatever the faults were,
 * so each violation is a real one; but not every violation is found.
 */
final class HistoryChecker {
    /**
     * Of two requests to the same node, the one that was sent earlier by more than this is ahead of
     * the other in the queue.
     */
    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(500);

    private final OperationHistory operationHistory;
    private final long start;
    private final List<String> violations = new ArrayList<>();

    /**
     * @param start the {@link System#nanoTime} from which times in messages are counted
     */
    private HistoryChecker(OperationHistory operationHistory, long start) {
        this.operationHistory = operationHistory;
        this.start = start;
    }

    /** Returns a description of each violation; empty if there is none. */
    static List<String> violations(OperationHistory operationHistory, long start) {
        HistoryChecker historyChecker = new HistoryChecker(operationHistory, start);
        historyChecker.violations.addAll(operationHistory.faults());
        historyChecker.holds();
        historyChecker.timeouts();
        historyChecker.lost();
        historyChecker.counters();
        historyChecker.values();
        return historyChecker.violations;
    }

    // ---- locks

    private void holds() {
        fencesAreUnique();
        grouped(operationHistory.holds(), ObservedHold::key)
                .forEach(
                        (_, holds) -> {
                            onlyOneHolds(holds);
                            List<ObservedHold> fenced =
                                    holds.stream().filter(ObservedHold::hasFence).toList();
                            firstComeFirstServed(fenced, ObservedHold::knownFrom);
                            grouped(fenced, observedHold -> "" + observedHold.node())
                                    .values()
                                    .forEach(
                                            local ->
                                                    firstComeFirstServed(
                                                            local, this::enqueuedAtNode));
                        });
    }

    private void fencesAreUnique() {
        Map<Long, ObservedHold> seen = new HashMap<>();
        for (ObservedHold observedHold : operationHistory.holds()) {
            ObservedHold other =
                    observedHold.hasFence()
                            ? seen.putIfAbsent(observedHold.fence(), observedHold)
                            : null;
            if (other != null) {
                violations.add(
                        "one fence twice: " + describe(other) + " and " + describe(observedHold));
            }
        }
    }

    /** No two clients may have certain holds of a key at the same time. */
    private void onlyOneHolds(List<ObservedHold> holds) {
        List<ObservedHold> inOrder = new ArrayList<>(holds);
        inOrder.sort(Comparator.comparingLong(ObservedHold::granted));
        ObservedHold last = null;
        for (ObservedHold observedHold : inOrder) {
            if (last != null && certainUntil(last) > observedHold.granted()) {
                violations.add("two holders: " + describe(last) + " and " + describe(observedHold));
            }
            if (last == null || certainUntil(observedHold) > certainUntil(last)) {
                last = observedHold;
            }
        }
    }

    /**
     * Until when the client certainly held the lock. While its node was suspended, the client could
     * not be notified of the end of its hold, so from then on only what was confirmed later counts.
     */
    private long certainUntil(ObservedHold observedHold) {
        long until = observedHold.ended();
        for (Suspended suspension : operationHistory.suspensions()) {
            if (suspension.node() == observedHold.node()
                    && suspension.from() < observedHold.ended()
                    && suspension.until() > observedHold.requested()) {
                until = Math.min(until, suspension.from());
            }
        }
        return Math.max(observedHold.confirmed(), until);
    }

    /**
     * A request that was sent when another one was known to be ahead of it must get a greater
     * fence.
     */
    private void firstComeFirstServed(
            List<ObservedHold> holds, ToLongFunction<ObservedHold> before) {
        List<ObservedHold> byRequested = new ArrayList<>(holds);
        byRequested.sort(Comparator.comparingLong(ObservedHold::requested));
        List<ObservedHold> byBefore = new ArrayList<>(holds);
        byBefore.sort(Comparator.comparingLong(before));
        ObservedHold greatest = null;
        int next = 0;
        for (ObservedHold observedHold : byRequested) {
            while (next < byBefore.size()
                    && before.applyAsLong(byBefore.get(next)) < observedHold.requested()) {
                ObservedHold earlier = byBefore.get(next++);
                if (greatest == null
                        || Long.compareUnsigned(earlier.fence(), greatest.fence()) > 0) {
                    greatest = earlier;
                }
            }
            if (greatest != null
                    && Long.compareUnsigned(greatest.fence(), observedHold.fence()) > 0) {
                violations.add(
                        "out of order: " + describe(greatest) + " after " + describe(observedHold));
            }
        }
    }

    private long enqueuedAtNode(ObservedHold observedHold) {
        for (Suspended suspension : operationHistory.suspensions()) {
            if (suspension.node() == observedHold.node()
                    && suspension.from() < observedHold.sent() + SLACK
                    && suspension.until() > observedHold.requested()) {
                return Math.min(observedHold.knownFrom(), suspension.until() + SLACK);
            }
        }
        return Math.min(observedHold.knownFrom(), observedHold.sent() + SLACK);
    }

    private void timeouts() {
        for (TimedOut one : operationHistory.timeouts()) {
            if (one.responded() - one.requested() < one.waitNanos()) {
                violations.add(
                        "timeout too early: %s requested %s at %s with a timeout of %s and timed out after %s"
                                .formatted(
                                        one.client(),
                                        one.key(),
                                        at(one.requested()),
                                        seconds(one.waitNanos()),
                                        seconds(one.responded() - one.requested())));
            }
        }
    }

    private void lost() {
        for (Lost one : operationHistory.lost()) {
            boolean nodeWasRunning = true;
            for (Suspended suspension : operationHistory.suspensions()) {
                nodeWasRunning &=
                        suspension.node() != one.node()
                                || suspension.until() < one.granted()
                                || suspension.from() > one.responded();
            }
            if (nodeWasRunning) {
                violations.add(
                        "a lock was lost: %s on node %d held %s since %s, but a %s was rejected at %s"
                                .formatted(
                                        one.client(),
                                        one.node(),
                                        one.key(),
                                        at(one.granted()),
                                        one.request(),
                                        at(one.responded())));
            }
        }
    }

    // ---- counters

    private void counters() {
        grouped(operationHistory.added(), Added::key)
                .forEach(
                        (key, all) -> {
                            List<Added> known =
                                    all.stream().filter(one -> isKnown(one.responded())).toList();
                            countsGrow(key, known);
                            Long end = operationHistory.finals().get(key);
                            if (end != null && (end < known.size() || end > all.size())) {
                                violations.add(
                                        "counter %s is %d in the end: %d increments were acknowledged, %d have an unknown outcome"
                                                .formatted(
                                                        key,
                                                        end,
                                                        known.size(),
                                                        all.size() - known.size()));
                            }
                        });
    }

    /** Each value may be returned only once, and later values must be greater. */
    private void countsGrow(String key, List<Added> known) {
        Map<Long, Added> seen = new HashMap<>();
        for (Added one : known) {
            Added other = seen.putIfAbsent(one.value(), one);
            if (other != null) {
                violations.add("counter " + key + " was " + one.value() + " twice");
            }
        }
        List<Added> byRequested = new ArrayList<>(known);
        byRequested.sort(Comparator.comparingLong(Added::requested));
        List<Added> byResponded = new ArrayList<>(known);
        byResponded.sort(Comparator.comparingLong(Added::responded));
        long greatest = 0;
        int next = 0;
        for (Added one : byRequested) {
            while (byResponded.get(next).responded() < one.requested()) {
                greatest = Math.max(greatest, byResponded.get(next++).value());
            }
            if (one.value() < greatest) {
                violations.add(
                        "counter %s was %d at %s and %d before"
                                .formatted(key, one.value(), at(one.requested()), greatest));
            }
        }
    }

    // ---- values

    private void values() {
        Map<String, List<Written>> written = grouped(operationHistory.written(), Written::key);
        for (Read read : operationHistory.reads()) {
            List<Written> writes = written.getOrDefault(read.key(), List.of());
            Written source = source(read, writes);
            if (source == null && read.value() != 0) {
                violations.add(describe(read) + ", which was never written before");
                continue;
            }
            for (Written later : writes) {
                boolean overwritten =
                        isKnown(later.responded())
                                && later.responded() < read.requested()
                                && (source == null || source.responded() < later.requested());
                if (overwritten) {
                    violations.add(
                            describe(read)
                                    + ", though "
                                    + later.value()
                                    + " was acknowledged before");
                    break;
                }
            }
        }
    }

    private static @Nullable Written source(Read read, List<Written> writes) {
        for (Written write : writes) {
            if (write.value() == read.value() && write.requested() <= read.responded()) {
                return write;
            }
        }
        return null;
    }

    // ---- text

    private static boolean isKnown(long responded) {
        return responded != OperationHistory.UNKNOWN;
    }

    private static <T> Map<String, List<T>> grouped(List<T> all, Function<T, String> by) {
        Map<String, List<T>> groups = new TreeMap<>();
        for (T one : all) {
            groups.computeIfAbsent(by.apply(one), _ -> new ArrayList<>()).add(one);
        }
        return groups;
    }

    private String describe(ObservedHold observedHold) {
        return "%s on node %d held %s with fence %s from %s to %s (requested at %s, confirmed until %s, ended at %s)"
                .formatted(
                        observedHold.client(),
                        observedHold.node(),
                        observedHold.key(),
                        observedHold.hasFence() ? Long.toHexString(observedHold.fence()) : "none",
                        at(observedHold.granted()),
                        at(certainUntil(observedHold)),
                        at(observedHold.requested()),
                        at(observedHold.confirmed()),
                        at(observedHold.ended()));
    }

    private String describe(Read read) {
        return "%s read %d from %s at %s"
                .formatted(read.client(), read.value(), read.key(), at(read.responded()));
    }

    private String at(long time) {
        return seconds(time - start);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3fs", nanos / 1e9);
    }
}
