package io.holdfast.verification.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Counts what a run has done so far. */
final class LockFileStatistics {
    private long turns;
    private long kills;
    private long takeovers;
    private long overlaps;
    private long displaced;
    private long losses;
    private final List<Long> recoveries = new ArrayList<>();
    private final List<Long> wakeUps = new ArrayList<>();

    /** Adds the counts of a scenario in which all processes respect the lock. */
    void addAlone(LockFileLogChecker checker) {
        turns += checker.turns();
        kills += checker.kills();
        overlaps += checker.overlaps();
        losses += checker.losses();
    }

    /** Adds the counts of a scenario with a script that overwrites the lock file. */
    void addDisplaced(LockFileLogChecker checker) {
        turns += checker.turns();
        displaced += checker.displaced();
        losses += checker.losses();
    }

    void addTakeover() {
        takeovers++;
    }

    void addKill() {
        kills++;
    }

    void addLoss() {
        losses++;
    }

    /** Adds the time from the kill of a holder until another process acquired the lock. */
    void addRecovery(long micros) {
        takeovers++;
        recoveries.add(micros);
    }

    /** Adds the time from a release until a waiting process has the lock. */
    void addWakeUp(long micros) {
        wakeUps.add(micros);
    }

    long turns() {
        return turns;
    }

    long kills() {
        return kills;
    }

    long takeovers() {
        return takeovers;
    }

    long overlaps() {
        return overlaps;
    }

    /** The number of turns of library processes that an overwriting script disturbed. */
    long displaced() {
        return displaced;
    }

    long losses() {
        return losses;
    }

    List<Long> recoveries() {
        return recoveries;
    }

    List<Long> wakeUps() {
        return wakeUps;
    }

    @Override
    public String toString() {
        return "%d turns, %d kills, %d takeovers, %d recoveries (%s), %d overlaps, %d displaced by a script that overwrites, %d losses reported, %d wake-ups (%s)"
                .formatted(
                        turns,
                        kills,
                        takeovers,
                        recoveries.size(),
                        spread(recoveries),
                        overlaps,
                        displaced,
                        losses,
                        wakeUps.size(),
                        spread(wakeUps));
    }

    /** The median and the maximum as text. */
    static String spread(List<Long> micros) {
        if (micros.isEmpty()) {
            return "none";
        }
        var sorted = micros.stream().sorted().toList();
        return String.format(
                Locale.ROOT,
                "median %.3fs, worst %.3fs",
                sorted.get(sorted.size() / 2) / 1e6,
                sorted.getLast() / 1e6);
    }
}
