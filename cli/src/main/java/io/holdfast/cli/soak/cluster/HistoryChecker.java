package io.holdfast.cli.soak.cluster;

import io.holdfast.cli.soak.cluster.OperationHistory.Added;
import io.holdfast.cli.soak.cluster.OperationHistory.Asleep;
import io.holdfast.cli.soak.cluster.OperationHistory.Lost;
import io.holdfast.cli.soak.cluster.OperationHistory.Read;
import io.holdfast.cli.soak.cluster.OperationHistory.TimedOut;
import io.holdfast.cli.soak.cluster.OperationHistory.Written;

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
 * Finds what no history of a correct cluster has. Every rule is one that holds whatever the faults
 * were: what it finds is wrong for sure, but it does not find everything.
 */
final class HistoryChecker {
    /** A request that was sent so much earlier to the same node is in line before another. */
    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(500);

    private final OperationHistory operationHistory;
    private final long start;
    private final List<String> violations = new ArrayList<>();

    /**
     * @param start what times are counted from in what is told
     */
    private HistoryChecker(OperationHistory operationHistory, long start) {
        this.operationHistory = operationHistory;
        this.start = start;
    }

    /** In words; empty if all is well. */
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
                                            local -> firstComeFirstServed(local, this::inLineHere));
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

    /** No two are sure to hold at the same time. */
    private void onlyOneHolds(List<ObservedHold> holds) {
        List<ObservedHold> inOrder = new ArrayList<>(holds);
        inOrder.sort(Comparator.comparingLong(ObservedHold::granted));
        ObservedHold last = null;
        for (ObservedHold observedHold : inOrder) {
            if (last != null && sureUntil(last) > observedHold.granted()) {
                violations.add("two holders: " + describe(last) + " and " + describe(observedHold));
            }
            if (last == null || sureUntil(observedHold) > sureUntil(last)) {
                last = observedHold;
            }
        }
    }

    /**
     * How long a client was right to think that it holds. While its node was stopped, it could not
     * be told that it does not, and only what was confirmed later counts.
     */
    private long sureUntil(ObservedHold observedHold) {
        long until = observedHold.ended();
        for (Asleep sleep : operationHistory.asleep()) {
            if (sleep.node() == observedHold.node()
                    && sleep.from() < observedHold.ended()
                    && sleep.until() > observedHold.asked()) {
                until = Math.min(until, sleep.from());
            }
        }
        return Math.max(observedHold.confirmed(), until);
    }

    /** Whoever asks when another is known to be before it gets a greater fence. */
    private void firstComeFirstServed(
            List<ObservedHold> holds, ToLongFunction<ObservedHold> before) {
        List<ObservedHold> byAsked = new ArrayList<>(holds);
        byAsked.sort(Comparator.comparingLong(ObservedHold::asked));
        List<ObservedHold> byBefore = new ArrayList<>(holds);
        byBefore.sort(Comparator.comparingLong(before));
        ObservedHold greatest = null;
        int next = 0;
        for (ObservedHold observedHold : byAsked) {
            while (next < byBefore.size()
                    && before.applyAsLong(byBefore.get(next)) < observedHold.asked()) {
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

    private long inLineHere(ObservedHold observedHold) {
        for (Asleep sleep : operationHistory.asleep()) {
            if (sleep.node() == observedHold.node()
                    && sleep.from() < observedHold.sent() + SLACK
                    && sleep.until() > observedHold.asked()) {
                return Math.min(observedHold.knownFrom(), sleep.until() + SLACK);
            }
        }
        return Math.min(observedHold.knownFrom(), observedHold.sent() + SLACK);
    }

    private void timeouts() {
        for (TimedOut one : operationHistory.timeouts()) {
            if (one.answered() - one.asked() < one.waitNanos()) {
                violations.add(
                        "timeout too early: %s wanted %s at %s for %s and gave up after %s"
                                .formatted(
                                        one.client(),
                                        one.key(),
                                        at(one.asked()),
                                        seconds(one.waitNanos()),
                                        seconds(one.answered() - one.asked())));
            }
        }
    }

    private void lost() {
        for (Lost one : operationHistory.lost()) {
            boolean told = true;
            for (Asleep sleep : operationHistory.asleep()) {
                told &=
                        sleep.node() != one.node()
                                || sleep.until() < one.granted()
                                || sleep.from() > one.answered();
            }
            if (told) {
                violations.add(
                        "a lock was lost: %s on node %d had %s since %s and was refused a %s at %s"
                                .formatted(
                                        one.client(),
                                        one.node(),
                                        one.key(),
                                        at(one.granted()),
                                        one.request(),
                                        at(one.answered())));
            }
        }
    }

    // ---- counters

    private void counters() {
        grouped(operationHistory.added(), Added::key)
                .forEach(
                        (key, all) -> {
                            List<Added> known =
                                    all.stream().filter(one -> isKnown(one.answered())).toList();
                            countsGrow(key, known);
                            Long end = operationHistory.finals().get(key);
                            if (end != null && (end < known.size() || end > all.size())) {
                                violations.add(
                                        "counter %s is %d in the end: %d increments were acknowledged, of %d more nobody knows"
                                                .formatted(
                                                        key,
                                                        end,
                                                        known.size(),
                                                        all.size() - known.size()));
                            }
                        });
    }

    /** Each value once, and later ones greater. */
    private void countsGrow(String key, List<Added> known) {
        Map<Long, Added> seen = new HashMap<>();
        for (Added one : known) {
            Added other = seen.putIfAbsent(one.value(), one);
            if (other != null) {
                violations.add("counter " + key + " was " + one.value() + " twice");
            }
        }
        List<Added> byAsked = new ArrayList<>(known);
        byAsked.sort(Comparator.comparingLong(Added::asked));
        List<Added> byAnswered = new ArrayList<>(known);
        byAnswered.sort(Comparator.comparingLong(Added::answered));
        long greatest = 0;
        int next = 0;
        for (Added one : byAsked) {
            while (byAnswered.get(next).answered() < one.asked()) {
                greatest = Math.max(greatest, byAnswered.get(next++).value());
            }
            if (one.value() < greatest) {
                violations.add(
                        "counter %s was %d at %s and %d before"
                                .formatted(key, one.value(), at(one.asked()), greatest));
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
                violations.add(describe(read) + ", which nobody had written");
                continue;
            }
            for (Written later : writes) {
                boolean overwritten =
                        isKnown(later.answered())
                                && later.answered() < read.asked()
                                && (source == null || source.answered() < later.asked());
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
            if (write.value() == read.value() && write.asked() <= read.answered()) {
                return write;
            }
        }
        return null;
    }

    // ---- words

    private static boolean isKnown(long answered) {
        return answered != OperationHistory.UNKNOWN;
    }

    private static <T> Map<String, List<T>> grouped(List<T> all, Function<T, String> by) {
        Map<String, List<T>> groups = new TreeMap<>();
        for (T one : all) {
            groups.computeIfAbsent(by.apply(one), _ -> new ArrayList<>()).add(one);
        }
        return groups;
    }

    private String describe(ObservedHold observedHold) {
        return "%s on node %d had %s with fence %s from %s to %s (asked at %s, confirmed to %s, given up at %s)"
                .formatted(
                        observedHold.client(),
                        observedHold.node(),
                        observedHold.key(),
                        observedHold.hasFence() ? Long.toHexString(observedHold.fence()) : "none",
                        at(observedHold.granted()),
                        at(sureUntil(observedHold)),
                        at(observedHold.asked()),
                        at(observedHold.confirmed()),
                        at(observedHold.ended()));
    }

    private String describe(Read read) {
        return "%s read %d from %s at %s"
                .formatted(read.client(), read.value(), read.key(), at(read.answered()));
    }

    private String at(long time) {
        return seconds(time - start);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3fs", nanos / 1e9);
    }
}
